/* Queues of threads: limen_co_queue_t. Enqueue and dequeue touch at most four words at any length. A thread in no queue
 * points to itself. */
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
    }
    queue->last = thread;
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
        first->next = first;
    }
    return first;
}

/* Removes a thread from any position of a queue, in time linear in the length; for rare cases. */
static inline void queue_remove(limen_co_queue_t *queue, co_tcb_t *thread)
{
    co_tcb_t *before = thread;
    while (before->next != thread) {
        before = before->next;
    }
    before->next = thread->next;
    thread->next = thread;
    if (queue->last == thread) {
        queue->last = before == thread ? NULL : before;
    }
}

#endif /* LIMEN_COTHREAD_QUEUE_H */
