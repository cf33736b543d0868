/* Repeatedly makes the device interrupt. The driver runs before the next round. */

#include "level.h"
#include "samples.h"

/* The trigger time for the driver; set by the tool. */
seL4_Word stamp;

void init(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        *(volatile seL4_Word *)stamp = limen_counter();
        level_raise();
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
