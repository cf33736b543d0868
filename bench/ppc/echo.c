/* The server of the round trip: echoes the message. */

#include "ppc.h"

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    return ch == MEASURED ? request : verify(request);
}
