/* Makes a mistake the first time that it is woken, and does better after its parent restarted it. */

#include <microkit.h>

#include "say.h"

#define PARENT 1

/* Keeps its value when the program is restarted, because a restart changes no memory. */
static int starts;

static void access_null(void)
{
    volatile int *nowhere = (volatile int *)0;
    /* Hides that the pointer is null, or the compiler would refuse to make this mistake. */
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
