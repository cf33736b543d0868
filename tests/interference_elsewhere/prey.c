/* A guest's child on another processor: faults at once, and again after each reply. */

#include "work.h"

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
