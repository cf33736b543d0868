/* Counts without end, in its own word. */

#include "count.h"

/* Set by the tool. */
seL4_Word counts, place;

void init(void)
{
    for (;;) {
        count_steps(counts, place, ~0ul);
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
