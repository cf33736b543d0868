/* Polls the counter and records the gaps during which other domains ran. */

#include <limen.h>

#include "log.h"

/* Set by the tool. */
seL4_Word log;

/* A gap of this many instructions can only be other domains' slots. */
#define JUMP 500000ul

void init(void)
{
    volatile struct log *seen = (volatile struct log *)log;
    seL4_Word last = limen_counter();
    for (;;) {
        seL4_Word now = limen_counter();
        if (now - last > JUMP) {
            seen->begin[seen->slots % LOG_SLOTS] = now;
            seen->end[seen->slots % LOG_SLOTS] = last;
            seen->slots++;
        }
        last = now;
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
