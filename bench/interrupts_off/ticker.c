/* Signals the tester some time later. */

#include <microkit.h>

void init(void)
{
}

void notified(microkit_channel ch)
{
    seL4_Yield();
    seL4_Yield();
    microkit_notify(ch);
}
