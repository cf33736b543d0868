/* Sums the words of a message. */

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
    seL4_Word sum = 0;
    (void)ch;
    for (seL4_Word i = 0; i < microkit_msginfo_get_count(request); i++) {
        sum += microkit_mr_get((seL4_Uint8)i);
    }
    microkit_mr_set(0, sum);
    return microkit_msginfo_new(0, 1);
}
