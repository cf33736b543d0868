/* Forwards calls, without floating point. */

#include <microkit.h>

#define DEEP 1

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
    return microkit_ppcall(DEEP, request);
}
