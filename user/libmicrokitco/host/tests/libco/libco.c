/* Switching primitives on top of the C library's contexts, to test that others can replace the library's. */

#include <ucontext.h>
#include "libco.h"

static ucontext_t first;
static ucontext_t *active = &first;

cothread_t co_active(void)
{
    return active;
}

cothread_t co_derive(void *memory, unsigned int size, void (*entry)(void))
{
    ucontext_t *context = memory;
    getcontext(context);
    context->uc_stack.ss_sp = context + 1;
    context->uc_stack.ss_size = size - sizeof(*context);
    context->uc_link = 0;
    makecontext(context, entry, 0);
    return context;
}

void co_switch(cothread_t handle)
{
    ucontext_t *from = active;
    active = handle;
    swapcontext(from, active);
}
