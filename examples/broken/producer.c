/* Puts parcels on the belt, and sends a notification for each. */

#include <microkit.h>

#include "belt.h"

#define CONSUMER 0

struct belt *belt;

void init(void)
{
    for (int i = 0; i < PARCELS; i++) {
        belt->put++;
        microkit_notify(CONSUMER);
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
    microkit_dbg_puts("producer: all parcels are taken\n");
}
