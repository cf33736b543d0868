/* Notifies others while its caller waits. */

#include "journal.h"
#include "events.h"

#define LOW_RECORDER 1
#define HIGH_RECORDER 2

seL4_Word journal;

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    if (microkit_msginfo_get_label(request) == SERVER_NOTIFY_BOTH) {
        microkit_notify(LOW_RECORDER);
        microkit_notify(HIGH_RECORDER);
    } else {
        microkit_notify(ch);
        microkit_notify(ch);
    }
    journal_add(EVENT('s', SIGNALS_SENT));
    return microkit_msginfo_new(7, 0);
}
