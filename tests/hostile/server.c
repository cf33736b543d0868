/* Answers every caller with each word plus one. */

#include <microkit.h>

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    (void)ch;
    for (seL4_Word i = 0; i < microkit_msginfo_get_count(request); i++) {
        microkit_mr_set((seL4_Uint8)i, microkit_mr_get((seL4_Uint8)i) + 1);
    }
    return microkit_msginfo_new(microkit_msginfo_get_label(request), (seL4_Uint16)microkit_msginfo_get_count(request));
}
