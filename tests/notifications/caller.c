/* Makes a protected call, and is notified during it. */

#include "journal.h"
#include "events.h"

#define START 1
#define SERVER 2

seL4_Word journal;

void init(void)
{
}

void notified(microkit_channel ch)
{
    journal_add(EVENT('c', ch));
    if (ch == START) {
        microkit_msginfo answer = microkit_ppcall(SERVER, microkit_msginfo_new(SERVER_NOTIFY_CALLER, 0));
        journal_add(EVENT('c', CALL_RETURNED + 1000 * microkit_msginfo_get_label(answer)));
    }
}
