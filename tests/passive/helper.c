/* Notifies the server while it is called by it. */

#include "events.h"
#include <microkit.h>

#define SERVER_CHANNEL 1

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
    microkit_notify(SERVER_CHANNEL);
    return microkit_msginfo_new(microkit_msginfo_get_label(request), 0);
}
