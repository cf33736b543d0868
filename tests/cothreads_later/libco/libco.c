/* See libco.h. The registers of a cothread that does not run are on its stack, and its handle is where its stack pointer
 * is kept. Floating-point registers are nobody's. */

#include <stddef.h>
#include <stdint.h>

#include "libco.h"

#if defined(__aarch64__)
#include "aarch64/exchange.h"
#elif defined(__riscv)
#include "riscv64/exchange.h"
#else
#include "x86_64/exchange.h"
#endif

/* Puts the registers on the stack, stores the stack pointer, and takes another's. */
void libco_exchange(uintptr_t **from, uintptr_t *to);

struct context {
    uintptr_t *stack_pointer;
};

static struct context first;
static struct context *active = &first;

/* How often co_switch was called. */
unsigned long libco_switches;

cothread_t co_active(void)
{
    return active;
}

cothread_t co_derive(void *memory, unsigned int size, void (*entry)(void))
{
    struct context *context = memory;
    uintptr_t *top = (uintptr_t *)(((uintptr_t)memory + size) & ~(uintptr_t)15);
    context->stack_pointer = top - FRAME_WORDS;
    for (size_t i = 0; i < FRAME_WORDS; i++) {
        context->stack_pointer[i] = 0;
    }
    context->stack_pointer[RETURN_ADDRESS] = (uintptr_t)entry;
    return context;
}

void co_switch(cothread_t handle)
{
    struct context *from = active, *to = handle;
    libco_switches++;
    active = to;
    libco_exchange(&from->stack_pointer, to->stack_pointer);
}
