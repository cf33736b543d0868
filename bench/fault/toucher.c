/* A child that loads from an unmapped address. Its parent lets it retry, with the same result. */

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
