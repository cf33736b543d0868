/* Writes every notification into the journal, under the first letter of its name, and sends one back where asked. */

#include "journal.h"
#include "events.h"

/* The channel on which the tester wants an answer. */
#define ANSWERED 61

seL4_Word journal;

void init(void)
{
}

void notified(microkit_channel ch)
{
    journal_add(EVENT(microkit_name[0], ch));
    if (ch == ANSWERED) {
        microkit_notify(ANSWERED);
    }
}
