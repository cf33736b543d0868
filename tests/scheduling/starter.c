/* Writes the first letter of its name into the journal when it starts. */

#include "journal.h"

seL4_Word journal;

void init(void)
{
    journal_add((seL4_Word)microkit_name[0]);
}

void notified(microkit_channel ch)
{
    (void)ch;
}
