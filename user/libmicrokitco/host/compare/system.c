/* The C library's contexts. */

#include <ucontext.h>
#include "compare.h"

static ucontext_t here;
static ucontext_t there;

static void bounce(void)
{
    for (;;) {
        swapcontext(&there, &here);
    }
}

void system_contexts(long count)
{
    static char stack[COMPARE_STACK_BYTES];
    getcontext(&there);
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = sizeof(stack);
    makecontext(&there, bounce, 0);
    for (long i = 0; i < count; i += 2) {
        swapcontext(&here, &there);
    }
}
