/* A queue of bytes in a page that two programs share: one producer, one consumer. */
#ifndef SERIAL_QUEUE_H
#define SERIAL_QUEUE_H

/* A power of two that leaves room for the counters in the page. */
#define QUEUE_BYTES 2048u

/* Free-running byte counters. Each side writes only its own. */
struct queue {
    unsigned put;
    unsigned taken;
    char bytes[QUEUE_BYTES];
};

/* Bytes available to the consumer. A peer with a wrong counter only loses bytes. */
static inline unsigned queue_length(const struct queue *queue)
{
    unsigned length = __atomic_load_n(&queue->put, __ATOMIC_ACQUIRE) - __atomic_load_n(&queue->taken, __ATOMIC_ACQUIRE);
    return length <= QUEUE_BYTES ? length : 0;
}

static inline int queue_is_full(const struct queue *queue)
{
    return queue_length(queue) == QUEUE_BYTES;
}

/* The queue is not full. */
static inline void queue_put(struct queue *queue, char byte)
{
    unsigned put = queue->put;
    queue->bytes[put % QUEUE_BYTES] = byte;
    __atomic_store_n(&queue->put, put + 1, __ATOMIC_RELEASE);
}

/* The queue is not empty. */
static inline char queue_take(struct queue *queue)
{
    unsigned taken = queue->taken;
    char byte = queue->bytes[taken % QUEUE_BYTES];
    __atomic_store_n(&queue->taken, taken + 1, __ATOMIC_RELEASE);
    return byte;
}

#endif /* SERIAL_QUEUE_H */
