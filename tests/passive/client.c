/* Calls the server each time it is notified, then tells the tester what came back. */

#include "journal.h"
#include "events.h"

seL4_Word journal;

void init(void)
{
}

void notified(microkit_channel ch)
{
    microkit_mr_set(0, 41);
    microkit_ppcall(SERVER, microkit_msginfo_new(ANSWER_AND_RECORD, 1));
    journal_add(EVENT(microkit_name[0], ANSWERED + microkit_mr_get(0)));
    microkit_notify(ch);
}
