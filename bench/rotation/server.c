/* Echoes calls, and answers each notification with one. */

#include <microkit.h>

void init(void)
{
}

void notified(microkit_channel ch)
{
    microkit_notify(ch);
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    (void)ch;
    return request;
}
