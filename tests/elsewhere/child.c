/* A child of the tester on another processor: counts, or faults, as the tester says. */

#include "shared.h"

seL4_Word shared;

void init(void)
{
    store(&all()->lives, all()->lives + 1);
    store(&all()->count, 0);
    for (;;) {
        store(&all()->count, all()->count + 1);
        if (load(&all()->order) == FAULT) {
            *(volatile seL4_Word *)NOWHERE = 1;
        }
    }
}

void notified(microkit_channel channel)
{
    (void)channel;
}
