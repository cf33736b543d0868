/* Calls the next program of the chain when it is called. */

#include <microkit.h>

#define NEXT 1

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    (void)ch;
    return microkit_ppcall(NEXT, request);
}
