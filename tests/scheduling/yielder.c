/* Records its first letter in the journal and yields, ten times. */

#include "journal.h"

#define TIMES 10

seL4_Word journal;

void init(void)
{
}

void notified(microkit_channel ch)
{
    for (int i = 0; i < TIMES; i++) {
        journal_add((seL4_Word)microkit_name[0]);
        seL4_Yield();
    }
    microkit_notify(ch);
}
