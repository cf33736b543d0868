/* Answers a notification. It has the lowest priority, so an answer means that nobody else could run. */

#include <microkit.h>

void init(void)
{
}

void notified(microkit_channel ch)
{
    microkit_notify(ch);
}
