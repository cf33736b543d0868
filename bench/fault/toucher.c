/* A child that loads from an address where nothing is. Its parent lets it try again, with the same result. */

#include "bad_address.h"
#include <microkit.h>

void init(void)
{
    *(volatile seL4_Word *)BAD_ADDRESS;
}

void notified(microkit_channel ch)
{
    (void)ch;
}
