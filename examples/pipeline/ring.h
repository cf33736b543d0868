/* A ring of batches in memory that two programs share: the producer puts batches in, the consumer takes them out.
 *
 * Only the producer can write the ring; the consumer writes its own words in another page. Each side counts its batches there.
 * A side that cannot go on writes its *wish*, the count of the other side at which it wants a notification, and blocks. So
 * notifications are sent only to programs that wait, and none while both sides are busy.
 *
 * A producer with a full ring waits until half of the ring is free: this is the back-pressure. A consumer with an empty ring
 * waits for the next batch.
 *
 * Both sides store a word of their own and then read a word of the other side, with a fence between the two. So at least one
 * of them sees the store of the other: the waiting side finds that it can go on, or the other side finds the wish. */
#ifndef PIPELINE_RING_H
#define PIPELINE_RING_H

#include <microkit.h>

#include "batch.h"

/* A power of two. */
#define RING_BATCHES 8u

/* What one side writes. */
struct side {
    /* Batches that this side has put in or taken out. It has a cache line of its own, apart from the batches. */
    _Alignas(64) seL4_Uint32 count;
    /* The count of the other side at which this side wants a notification. */
    seL4_Uint32 wish;
};

struct ring {
    struct side producer;
    struct batch batches[RING_BATCHES];
};

/* The size of the memory regions in the description. */
#define RING_BYTES 0x4000
_Static_assert(sizeof(struct ring) <= RING_BYTES, "the regions in pipeline.system are too small");

/* What a program knows about its end of a ring. */
struct ring_end {
    struct batch *batches;
    struct side *own;
    const struct side *other;
    microkit_channel channel;
    /* The program does not read its count back from shared memory. */
    seL4_Uint32 count;
    /* Sent to the other side. */
    seL4_Uint32 notifications;
};

static inline struct ring_end ring_producer(struct ring *ring, const struct side *taken, microkit_channel channel)
{
    return (struct ring_end) { ring->batches, &ring->producer, taken, channel, 0, 0 };
}

static inline struct ring_end ring_consumer(struct ring *ring, struct side *taken, microkit_channel channel)
{
    return (struct ring_end) { ring->batches, taken, &ring->producer, channel, 0, 0 };
}

/* Requests a notification when the other side reaches this count. */
static inline void ring_wish(const struct ring_end *end, seL4_Uint32 count)
{
    __atomic_store_n(&end->own->wish, count, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Counts a batch, and notifies the other side if it waits for this one. */
static inline void ring_advance(struct ring_end *end)
{
    end->count++;
    __atomic_store_n(&end->own->count, end->count, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&end->other->wish, __ATOMIC_RELAXED) == end->count) {
        end->notifications++;
        microkit_notify(end->channel);
    }
}

/* How many batches this side is ahead of the other one: for the producer, those in the ring. */
static inline seL4_Uint32 ring_lead(const struct ring_end *end)
{
    return end->count - __atomic_load_n(&end->other->count, __ATOMIC_ACQUIRE);
}

/* Returns the batch that the producer fills next, or null: then a notification follows when the ring is half empty. */
static inline struct batch *ring_room(const struct ring_end *end)
{
    if (ring_lead(end) >= RING_BATCHES) {
        ring_wish(end, end->count - RING_BATCHES / 2);
        if (ring_lead(end) >= RING_BATCHES) {
            return 0;
        }
    }
    return &end->batches[end->count % RING_BATCHES];
}

/* The batch from `ring_room` is complete. */
static inline void ring_put(struct ring_end *end)
{
    ring_advance(end);
}

/* Returns the batch that the consumer takes next, or null: then a notification follows with the next batch. */
static inline const struct batch *ring_next(const struct ring_end *end)
{
    if (ring_lead(end) == 0) {
        ring_wish(end, end->count + 1);
        if (ring_lead(end) == 0) {
            return 0;
        }
    }
    return &end->batches[end->count % RING_BATCHES];
}

/* The producer may reuse the batch from `ring_next`. */
static inline void ring_take(struct ring_end *end)
{
    ring_advance(end);
}

#endif /* PIPELINE_RING_H */
