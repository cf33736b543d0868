/* Counts without end. It prints nothing, because a slot can end in the middle of a line and mix its text with the
 * pilot's. */

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
