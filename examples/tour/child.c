/* Faults when it is first woken, and works after its parent has restarted it. */

#include <microkit.h>

#include "say.h"

#define PARENT 1

/* Survives a restart, because a restart does not change memory. */
static int starts;

static void access_null(void)
{
    volatile int *nowhere = (volatile int *)0;
    /* Hides the null pointer from the compiler, which would otherwise not emit the access. */
    __asm__ volatile ("" : "+r"(nowhere));
    *nowhere = 1;
}

void init(void)
{
    starts++;
    if (starts > 1) {
        say("I was restarted and I am well.");
        microkit_notify(PARENT);
    }
}

void notified(microkit_channel ch)
{
    if (ch == PARENT) {
        say("I am awake and follow a null pointer.");
        access_null();
    }
}
