/* Counts its notifications. */

#include <microkit.h>

/* The count; set by the tool. */
seL4_Word seen;

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
    ++*(volatile seL4_Word *)seen;
}
