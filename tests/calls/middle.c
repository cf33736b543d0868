/* Answers a call through another call: forwards the request's words, each plus one. */

#include "service.h"

#define DEEP 7

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    seL4_Word count = microkit_msginfo_get_count(request);
    for (seL4_Word i = 0; i < count; i++) {
        microkit_mr_set((seL4_Uint8)i, microkit_mr_get((seL4_Uint8)i) + 1);
    }
    microkit_msginfo answer = microkit_ppcall(DEEP, microkit_msginfo_new(ch, (seL4_Uint16)count));
    seL4_Word sum = microkit_msginfo_get_label(answer) + 1;
    return microkit_msginfo_new(sum, (seL4_Uint16)microkit_msginfo_get_count(answer));
}
