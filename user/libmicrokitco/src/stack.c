/* Stack usage, stack ownership, and the handling of overflows. */

#include "schedule.h"
#include "stack.h"

/* The fill pattern: unlikely as data, and not a user address. */
#define PATTERN 0xa5c3a5c3a5c3a5c3ul

void stack_paint(uintptr_t *stack, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(*stack); i++) {
        stack[i] = PATTERN;
    }
}

co_err_t stack_has_overflowed(void)
{
    limen_cothread_panic(co_err_stack_overflow, co_err_stack_overflow);
    return co_err_stack_overflow;
}

co_err_t limen_cothread_stack_used(limen_co_handle_t handle, size_t *bytes)
{
    co_control_t *control = limen_co_library.control;
    if (REFUSED(!control)) {
        return co_err_generic_not_initialised;
    }
    co_tcb_t *thread = thread_of(control, handle);
    if (REFUSED(!thread || !thread->stack)) {
        return co_err_generic_invalid_handle;
    }
    if (REFUSED(!bytes)) {
        return co_err_generic_null_result;
    }
    size_t words = control->stack_bytes / sizeof(*thread->stack);
    size_t first = 1;
    while (first < words && thread->stack[first] == PATTERN) {
        first++;
    }
    *bytes = (words - first) * sizeof(*thread->stack);
    return co_no_err;
}

limen_co_handle_t limen_cothread_of_address(const void *memory, uintptr_t address)
{
    const co_control_t *control = control_in((uintptr_t)memory);
    for (limen_co_handle_t i = 0; i < LIMEN_CO_COTHREADS; i++) {
        uintptr_t stack = (uintptr_t)control->cothreads[i].stack;
        /* The page below counts as well, because a stack pointer is there after an overflow. */
        if (address + MINIMUM_STACK_SIZE > stack && address <= stack + control->stack_bytes) {
            return i + 1;
        }
    }
    return MICROKITCO_ROOT_THREAD;
}

const char *limen_cothread_name_at(const void *memory, uintptr_t address)
{
    limen_co_handle_t handle = limen_cothread_of_address(memory, address);
    return handle ? control_in((uintptr_t)memory)->cothreads[handle - 1].name : "";
}
