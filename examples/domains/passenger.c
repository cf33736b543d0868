/* Counts for ever. It prints nothing: the console is not cut at the borders of slots, so its text would stand in the
 * middle of the pilot's. */

#include <microkit.h>

/* Set by the tool. */
seL4_Word turns;

void init(void)
{
    for (;;) {
        *(volatile seL4_Word *)turns += 1;
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
