/* A child of the observer or of a guest: faults at once, and again after each reply. */

#include "apart.h"

void init(void)
{
    for (;;) {
        *(volatile seL4_Word *)NOWHERE = 1;
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
