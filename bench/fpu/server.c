/* Computes when called, and records when. */

#include "number.h"
#include "stamps.h"

/* Memory shared with the caller; set by the tool. */
seL4_Word stamps;

static number_t number;

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    struct stamps *shared = (struct stamps *)stamps;
    (void)ch;
    compute(&number);
    shared->received = limen_counter();
    shared->answering = limen_counter();
    return request;
}
