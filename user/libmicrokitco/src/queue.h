/* Queues of threads: limen_co_queue_t. Enqueue and dequeue touch three words at any length. */
#ifndef LIMEN_COTHREAD_QUEUE_H
#define LIMEN_COTHREAD_QUEUE_H

#include <libmicrokitco.h>

LIMEN_CO_INLINE bool queue_is_empty(const limen_co_queue_t *queue)
{
    return !queue->last;
}

/* Enqueues a thread at the end. */
LIMEN_CO_INLINE void queue_put(limen_co_queue_t *queue, co_tcb_t *thread)
{
    co_tcb_t *last = queue->last;
    if (last) {
        thread->next = last->next;
        last->next = thread;
    } else {
        thread->next = thread;
    }
    queue->last = thread;
    thread->queue = queue;
}

/* Dequeues the first thread of a queue that is not empty. */
LIMEN_CO_INLINE co_tcb_t *queue_take(limen_co_queue_t *queue)
{
    co_tcb_t *last = queue->last;
    co_tcb_t *first = last->next;
    if (first == last) {
        queue->last = NULL;
    } else {
        last->next = first->next;
    }
    return first;
}

/* Removes a thread from any position of its queue, in time linear in the length; for rare cases. */
static inline void queue_remove(co_tcb_t *thread)
{
    limen_co_queue_t *queue = thread->queue;
    co_tcb_t *before = thread;
    while (before->next != thread) {
        before = before->next;
    }
    before->next = thread->next;
    if (queue->last == thread) {
        queue->last = before == thread ? NULL : before;
    }
}

#endif /* LIMEN_COTHREAD_QUEUE_H */
