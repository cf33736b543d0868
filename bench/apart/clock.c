/* Wakes the observer once in a turn of the schedule: its budget is replenished in the middle of each slot. */

#include <microkit.h>

#define OBSERVER 0

void init(void)
{
}

/* The spinner has reached the middle of the first slot. */
void notified(microkit_channel ch)
{
    (void)ch;
    for (;;) {
        microkit_notify(OBSERVER);
        seL4_Yield();
    }
}
