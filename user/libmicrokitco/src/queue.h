/* Queues of threads: limen_co_queue_t. Putting in and taking out touch three words, whatever the length. */
#ifndef LIMEN_COTHREAD_QUEUE_H
#define LIMEN_COTHREAD_QUEUE_H

#include <libmicrokitco.h>

LIMEN_CO_INLINE bool queue_is_empty(const limen_co_queue_t *queue)
{
    return !queue->last;
}

/* Behind all others. */
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

/* The first of a queue that is not empty. */
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

/* Takes a thread out of wherever it is in its queue. The work grows with the length: for what happens seldom. */
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
