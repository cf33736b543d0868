/* A queue for one item, in memory that producer and consumer share. The memory is zero at first. */
#ifndef BENCH_FPU_SYNC_QUEUE_H
#define BENCH_FPU_SYNC_QUEUE_H

#include "number.h"
#include "sync.h"

#define CAPACITY 1

struct queue {
    struct lock lock;
    struct condition not_full;
    struct condition not_empty;
    /* Under the lock. A number, so that programs of the build `fp` use the unit when they check a condition. */
    volatile number_t items;
    volatile number_t item;
    /* Each program's stamp right before its last signal. */
    volatile seL4_Word produced;
    volatile seL4_Word consumed;
    /* From `produced` to the consumer. */
    volatile seL4_Word to_consumer;
    /* How often the consumer found another item than the next one. */
    volatile seL4_Word wrong;
};

/* Set by the tool. */
extern seL4_Word queue_base;

static inline struct queue *queue(void)
{
    return (struct queue *)queue_base;
}

#endif /* BENCH_FPU_SYNC_QUEUE_H */
