/* See libco.h. A suspended cothread has its registers on its stack; its handle is the address of its saved stack pointer.
 * Floating-point registers are not saved. */

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

/* Pushes the registers, stores the stack pointer, and loads another one. */
void libco_exchange(uintptr_t **from, uintptr_t *to);

struct context {
    uintptr_t *stack_pointer;
};

static struct context first;
static struct context *active = &first;

/* The number of calls of co_switch. */
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
