/* Has the lowest priority, so all other programs wait when it runs. */

#include <microkit.h>

void init(void)
{
}

void notified(microkit_channel ch)
{
    microkit_notify(ch);
}
