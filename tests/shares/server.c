/* Computes on its caller's budget. */

#include "count.h"

/* Set by the tool. */
seL4_Word counts;

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
    count_steps(counts, SERVER, 3000);
    return request;
}
