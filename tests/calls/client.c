/* Calls deep once each time it is notified. */

#include "service.h"

#define DEEP 2

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
    microkit_ppcall(DEEP, microkit_msginfo_new(0, 0));
}
