/* Counts its notifications. */

#include <microkit.h>

/* Where to count; set by the tool. */
seL4_Word seen;

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
    ++*(volatile seL4_Word *)seen;
}
