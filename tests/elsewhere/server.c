/* Answers each word with twice its value and one. */

#include "shared.h"

seL4_Word shared;

void init(void)
{
}

void notified(microkit_channel channel)
{
    (void)channel;
}

microkit_msginfo protected(microkit_channel channel, microkit_msginfo info)
{
    seL4_Word words = microkit_msginfo_get_count(info);
    for (seL4_Word i = 0; i < words; i++) {
        microkit_mr_set(i, microkit_mr_get(i) * 2 + 1);
    }
    if (channel >= 10) {
        store(&all()->answered, all()->answered + 1);
    }
    return microkit_msginfo_new(microkit_msginfo_get_label(info) + 1, (seL4_Uint16)words);
}
