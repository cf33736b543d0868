/* Counts for ever. */

#include <microkit.h>

/* Set by the tool. */
seL4_Word turns;

void init(void)
{
    microkit_dbg_puts("passenger: I never wait\n");
    for (;;) {
        *(volatile seL4_Word *)turns += 1;
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
