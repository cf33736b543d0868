/* Counts signals from another processor. */

#include <limen.h>

#include "shared.h"

seL4_Word shared;

void init(void)
{
}

void notified(microkit_channel channel)
{
    (void)channel;
    store(&all()->waited, all()->waited + 1);
}
