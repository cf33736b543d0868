/* Takes one parcel for each notification, but two notifications may arrive as one. */

#include <microkit.h>

#include "belt.h"

#define PRODUCER 0

struct belt *belt;

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
    belt->taken++;
    if (belt->taken == PARCELS) {
        microkit_notify(PRODUCER);
    }
}
