/* Moves every number of the free queue to the active queue, through its pinned memory. */

#include "queue.h"

/* Set by the tool. */
seL4_Word ring, data, free_queue, active_queue, ring_paddr, data_paddr;

void init(void)
{
}

void notified(microkit_channel ch)
{
    struct queue *from = (struct queue *)free_queue, *to = (struct queue *)active_queue;
    volatile seL4_Word *slot = (volatile seL4_Word *)ring, *copy = (volatile seL4_Word *)data;
    for (seL4_Word i = 0; i < from->count && i < QUEUE_ENTRIES; i++) {
        slot[i % (QUEUE_BYTES / sizeof(seL4_Word))] = from->entries[i];
        copy[i] = slot[i % (QUEUE_BYTES / sizeof(seL4_Word))];
        to->entries[i] = copy[i];
    }
    to->count = from->count;
    to->entries[RING_PADDR] = ring_paddr;
    to->entries[DATA_PADDR] = data_paddr;
    microkit_notify(ch);
}
