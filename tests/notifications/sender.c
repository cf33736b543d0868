/* Notifies another program on every channel but the one on which it is asked to. */

#include <microkit.h>
#include "events.h"

void init(void)
{
}

void notified(microkit_channel ch)
{
    if (ch == SENDER_START) {
        for (microkit_channel other = 0; other < SENDER_START; other++) {
            microkit_notify(other);
        }
    }
}
