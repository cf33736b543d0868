/* Answers calls and records notifications. Runs passively. */

#include "journal.h"
#include "events.h"

/* To helper, which notifies on channel 4 when it is called. */
#define HELPER 3

seL4_Word journal;

void init(void)
{
    journal_add(EVENT(microkit_name[0], INITIALISED));
}

void notified(microkit_channel ch)
{
    journal_add(EVENT(microkit_name[0], ch));
}

static void add_one(seL4_Word count)
{
    for (seL4_Word i = 0; i < count; i++) {
        microkit_mr_set((seL4_Uint8)i, microkit_mr_get((seL4_Uint8)i) + 1);
    }
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    seL4_Word label = microkit_msginfo_get_label(request);
    seL4_Word count = microkit_msginfo_get_count(request);
    add_one(count);
    if (label == BE_NOTIFIED) {
        microkit_ppcall(HELPER, microkit_msginfo_new(0, 0));
    } else if (label == ASK_INNER) {
        microkit_ppcall(INNER, microkit_msginfo_new(ANSWER, (seL4_Uint16)count));
    }
    if (label != ANSWER) {
        journal_add(EVENT(microkit_name[0], CALLED + ch));
    }
    return microkit_msginfo_new(label, (seL4_Uint16)count);
}
