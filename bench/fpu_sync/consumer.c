/* Takes items from the queue: consecutive numbers. */

#include "queue.h"

seL4_Word queue_base = 1;

static number_t last;

static void consume(struct queue *queue)
{
    lock_acquire(&queue->lock);
    while (queue->items < 1) {
        condition_wait(&queue->not_empty, NOT_EMPTY, &queue->lock);
    }
    queue->to_consumer = limen_counter() - queue->produced;
    queue->items -= 1;
    last += 1;
    queue->wrong += queue->item != last;
    queue->consumed = limen_counter();
    condition_signal(&queue->not_full, NOT_FULL);
    lock_release(&queue->lock);
}

void init(void)
{
    for (;;) {
        consume(queue());
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
