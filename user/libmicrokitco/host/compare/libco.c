/* libco. */

#include <libco.h>
#include "compare.h"

static cothread_t here;

static void bounce(void)
{
    for (;;) {
        co_switch(here);
    }
}

void libco_switch(long count)
{
    static char stack[COMPARE_STACK_BYTES] __attribute__((aligned(16)));
    static cothread_t there;
    here = co_active();
    there = there ? there : co_derive(stack, sizeof(stack), bounce);
    for (long i = 0; i < count; i += 2) {
        co_switch(there);
    }
}
