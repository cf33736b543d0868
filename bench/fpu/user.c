/* Computes on its parent's order, and records the cost. */

#include "number.h"
#include "stamps.h"

#define PARENT 0

/* Memory shared with the parent; set by the tool. */
seL4_Word stamps;

static number_t number;

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
    seL4_Word before = limen_counter();
    compute(&number);
    ((struct stamps *)stamps)->use = limen_counter() - before;
    microkit_notify(PARENT);
}
