/* Has the lowest priority: when it answers the tester, every other program waits. */

#include <microkit.h>

void init(void)
{
}

void notified(microkit_channel ch)
{
    microkit_notify(ch);
}
