/* Answers calls with the counter value at their arrival. */

#include "samples.h"

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
    (void)request;
    microkit_mr_set(0, limen_counter());
    return microkit_msginfo_new(0, 1);
}
