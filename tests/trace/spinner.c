/* Uses up its budget at each signal. */

#include <microkit.h>

#include "orders.h"

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
    for (volatile unsigned long i = 0; i < SPINS; i++) {
    }
}
