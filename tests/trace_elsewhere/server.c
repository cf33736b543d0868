/* Answers calls from another processor. */

#include <limen.h>

void init(void)
{
}

void notified(microkit_channel channel)
{
    (void)channel;
}

microkit_msginfo protected(microkit_channel channel, microkit_msginfo info)
{
    (void)channel;
    (void)info;
    return microkit_msginfo_new(0, 0);
}
