/* Uses up all the time of its domain. */

#include <microkit.h>

void init(void)
{
    for (;;) {
    }
}

void notified(microkit_channel channel)
{
    (void)channel;
}
