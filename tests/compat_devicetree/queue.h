/* A queue of numbers that fills 64 KiB, with one producer and one consumer. */
#ifndef QUEUE_H
#define QUEUE_H

#include <microkit.h>

#define QUEUE_BYTES 0x10000
#define QUEUE_ENTRIES (QUEUE_BYTES / sizeof(seL4_Word) - 1)

struct queue {
    volatile seL4_Word count;
    volatile seL4_Word entries[QUEUE_ENTRIES];
};
_Static_assert(sizeof(struct queue) == QUEUE_BYTES, "a queue fills its region");

/* The last places of the active queue: what the driver knows of its memory. */
enum { RING_PADDR = QUEUE_ENTRIES - 2, DATA_PADDR };

#endif /* QUEUE_H */
