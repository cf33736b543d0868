/* Reads memory that the processor cannot address. */

#include "test.h"

/* Set by the tool. */
seL4_Word far;

void init(void)
{
    (void)*(volatile seL4_Word *)far;
}

void notified(microkit_channel channel)
{
    (void)channel;
}
