/* A server that notifies another program before it answers. */

#include <microkit.h>

#define IDLER 1

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
    microkit_notify(IDLER);
    return request;
}
