/* Runs when nobody else does, and says so. */

#include <microkit.h>

void init(void)
{
}

void notified(microkit_channel ch)
{
    microkit_notify(ch);
}
