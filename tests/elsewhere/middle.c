/* Passes each call on to the passive server: the time of the caller crosses twice. */

#include <microkit.h>

void init(void)
{
}

void notified(microkit_channel channel)
{
    (void)channel;
}

microkit_msginfo protected(microkit_channel channel, microkit_msginfo info)
{
    return microkit_ppcall(channel + 1, info);
}
