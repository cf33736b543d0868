/* Uses up its budget in each period, and records the longest time between two periods. */

#include "load.h"

seL4_Word load_base;

/* A pause until the next period; everything else that takes time is shorter. */
#define PAUSE 200000ul

void init(void)
{
    seL4_Word last = limen_counter();
    for (;;) {
        seL4_Word now = limen_counter();
        if (now - last > PAUSE && now - last > this_load()->longest_pause) {
            this_load()->longest_pause = now - last;
        }
        last = now;
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
