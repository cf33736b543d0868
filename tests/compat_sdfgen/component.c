/* Stands for every other component of the generated system: answers each signal with a signal on the same channel. */

#include <microkit.h>

void init(void)
{
}

void notified(microkit_channel ch)
{
    microkit_notify(ch);
}
