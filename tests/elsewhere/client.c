/* Calls the passive server again and again when the tester asks for that, and tells it when it is done. */

#include "shared.h"

seL4_Word shared;

void init(void)
{
}

void notified(microkit_channel channel)
{
    for (seL4_Word call = 0; call < CALLS; call++) {
        seL4_Word words = call % 8;
        for (seL4_Word i = 0; i < words; i++) {
            microkit_mr_set(i, call + i);
        }
        microkit_msginfo answer = microkit_ppcall(1, microkit_msginfo_new(call, (seL4_Uint16)words));
        seL4_Word is_wrong = microkit_msginfo_get_label(answer) != call + 1 || microkit_msginfo_get_count(answer) != words;
        for (seL4_Word i = 0; i < words; i++) {
            is_wrong |= microkit_mr_get(i) != (call + i) * 2 + 1;
        }
        all()->wrong[own_number()] += is_wrong;
    }
    microkit_notify(channel);
}
