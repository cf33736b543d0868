/* The switch alone, with the options of the file that includes this. */

#include <libmicrokitco.h>
#include "compare.h"

static limen_co_context_t here;
static limen_co_context_t there;

static void bounce(void)
{
    for (;;) {
        limen_co_switch(&there, &here);
    }
}

static void bounce_bare(long count)
{
    static char stack[COMPARE_STACK_BYTES] __attribute__((aligned(LIMEN_CO_ALIGNMENT)));
    limen_co_prepare(&there, (uintptr_t)stack, sizeof(stack), bounce);
    for (long i = 0; i < count; i += 2) {
        limen_co_switch(&here, &there);
    }
}
