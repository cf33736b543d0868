/* Has the lowest priority: when it runs, everybody else waits. */

#include <microkit.h>

void init(void)
{
}

void notified(microkit_channel ch)
{
    microkit_notify(ch);
}
