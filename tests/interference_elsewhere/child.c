/* The observer's child on another processor: faults at once, and again after each reply. */

#include "journal.h"
#include "work.h"

seL4_Word journal;

void init(void)
{
    journal_add('c');
    for (;;) {
        *(volatile seL4_Word *)NOWHERE = 1;
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
