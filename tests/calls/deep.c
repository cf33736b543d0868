/* Doubles the words of each message, records its callers in the journal, and can be kept busy. */

#include "journal.h"

#define GATE 1

seL4_Word journal;

void init(void)
{
    /* Callers queue up while the gate does not answer. */
    microkit_ppcall(GATE, microkit_msginfo_new(0, 0));
}

void notified(microkit_channel ch)
{
    (void)ch;
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    seL4_Word count = microkit_msginfo_get_count(request);
    for (seL4_Word i = 0; i < count; i++) {
        microkit_mr_set((seL4_Uint8)i, microkit_mr_get((seL4_Uint8)i) * 2);
    }
    journal_add(ch);
    return microkit_msginfo_new(100 * ch + microkit_msginfo_get_label(request), (seL4_Uint16)count);
}
