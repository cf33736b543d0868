/* Answers notifications. It has the lowest priority, so an answer means that all other programs are blocked. */

#include <microkit.h>

void init(void)
{
}

void notified(microkit_channel ch)
{
    microkit_notify(ch);
}
