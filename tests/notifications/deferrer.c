/* Defers signals to its next receive. */

#include "journal.h"
#include "events.h"

#define HIGH_RECORDER 1
#define HIGH_RECORDER_AGAIN 2

seL4_Word journal;

void init(void)
{
}

static void defer(void)
{
    microkit_deferred_notify(HIGH_RECORDER);
    journal_add(EVENT('d', DEFERRED));
}

void notified(microkit_channel ch)
{
    (void)ch;
    defer();
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    (void)ch;
    defer();
    if (microkit_msginfo_get_label(request) == DEFERRER_TWO) {
        microkit_deferred_notify(HIGH_RECORDER_AGAIN);
    }
    return microkit_msginfo_new(microkit_have_signal, 0);
}
