/* Works for a while for each signal, then signals the tester. */

#include <microkit.h>

#define WORK 5000

void init(void)
{
}

void notified(microkit_channel ch)
{
    for (volatile seL4_Word i = 0; i < WORK; i++) {
    }
    microkit_notify(ch);
}
