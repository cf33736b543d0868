/* Every other part of the generated system: answers each signal with one. */

#include <microkit.h>

void init(void)
{
}

void notified(microkit_channel ch)
{
    microkit_notify(ch);
}
