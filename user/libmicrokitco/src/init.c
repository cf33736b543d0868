/* Initialises the library in memory that the program provides. */

#include "schedule.h"
#include "stack.h"

/* A range of addresses that does not wrap. */
struct range {
    uintptr_t start;
    uintptr_t end;
};

static bool overlap(struct range a, struct range b)
{
    return a.start < b.end && b.start < a.end;
}

static struct range stack_range(const uintptr_t *stacks, size_t index, size_t size)
{
    return (struct range) { stacks[index], stacks[index] + size };
}

static co_err_t check_addresses(size_t size, const uintptr_t *stacks)
{
    for (size_t i = 0; i < LIMEN_CO_COTHREADS; i++) {
        if (!stacks[i]) {
            return co_err_init_co_stack_null;
        }
        if (stacks[i] + size < size) {
            return co_err_init_co_stack_wraps;
        }
    }
    return co_no_err;
}

static co_err_t check_overlaps(uintptr_t memory, size_t size, const uintptr_t *stacks)
{
    uintptr_t control = (uintptr_t)control_in(memory);
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    struct range controller = { control, control + sizeof(co_control_t) };
    struct range callers = { frame, frame + 1 };
    for (size_t i = 0; i < LIMEN_CO_COTHREADS; i++) {
        struct range stack = stack_range(stacks, i, size);
        if (overlap(stack, controller)) {
            return co_err_init_co_stack_overlap;
        }
        if (overlap(stack, callers)) {
            return co_err_init_on_co_stack;
        }
        for (size_t j = 0; j < i; j++) {
            if (overlap(stack, stack_range(stacks, j, size))) {
                return co_err_init_co_stack_overlap;
            }
        }
    }
    return co_no_err;
}

/* Whether the program was restarted, with its data kept, after an init. */
static bool is_restarted;

/* Runs before other constructors in each life. The threads of the life before are not continued: the root's stack is gone,
 * and the thread that ran is in the middle of a function. */
__attribute__((constructor(101))) static void forget_life_before(void)
{
    if (limen_co_library.control) {
        is_restarted = true;
        limen_co_library = (struct limen_co_library) { .control = NULL, .current = &limen_co_before_init };
    }
}

static co_err_t check(uintptr_t memory, size_t size, const uintptr_t *stacks, uint64_t agreed)
{
    if (agreed != LIMEN_CO_AGREED) {
        return co_err_init_other_options;
    }
    if (is_restarted) {
        return co_err_init_restarted;
    }
    if (limen_co_library.control) {
        return co_err_init_already_initialised;
    }
    if (!memory) {
        return co_err_init_controller_null;
    }
    if (!stacks) {
        return co_err_init_co_stack_null;
    }
    if (size < MINIMUM_STACK_SIZE) {
        return co_err_init_stack_too_small;
    }
    co_err_t error = check_addresses(size, stacks);
    if (error == co_no_err && LIMEN_CO_CHECKS) {
        error = check_overlaps(memory, size, stacks);
    }
    return error;
}

/* The bytes that every stack has at least between its first and its last aligned address. */
static size_t aligned_bytes(size_t size, const uintptr_t *stacks)
{
    size_t least = size;
    for (size_t i = 0; i < LIMEN_CO_COTHREADS; i++) {
        size_t bytes = align_down(stacks[i] + size) - align_up(stacks[i]);
        least = bytes < least ? bytes : least;
    }
    return least;
}

static void clear(co_control_t *control)
{
    unsigned char *bytes = (unsigned char *)control;
    for (size_t i = 0; i < sizeof(*control); i++) {
        bytes[i] = 0;
    }
}

co_err_t limen_cothread_init(uintptr_t memory, size_t stack_size, const uintptr_t *stacks, uint64_t agreed)
{
    co_err_t error = check(memory, stack_size, stacks, agreed);
    if (error != co_no_err) {
        return error;
    }
    co_control_t *control = control_in(memory);
    clear(control);
    control->stack_bytes = aligned_bytes(stack_size, stacks);
    control->root.state = LIMEN_CO_READY;
    control->root.next = &control->root;
    limen_co_prepare_root(&control->root.context);
    for (size_t i = 0; i < LIMEN_CO_COTHREADS; i++) {
        co_tcb_t *thread = &control->cothreads[i];
        thread->stack = (uintptr_t *)align_up(stacks[i]);
        stack_paint(thread->stack, control->stack_bytes);
        thread->next = thread;
        queue_put(&control->free, thread);
    }
    limen_co_library = (struct limen_co_library) { .control = control, .current = NULL };
    return co_no_err;
}
