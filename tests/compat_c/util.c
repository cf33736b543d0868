#include "util.h"

int queue_put(struct queue *queue, uint64_t value)
{
    uint32_t tail = __atomic_load_n(&queue->tail, __ATOMIC_RELAXED);
    if (tail - __atomic_load_n(&queue->head, __ATOMIC_ACQUIRE) == QUEUE_SLOTS) {
        return 0;
    }
    queue->slots[tail % QUEUE_SLOTS] = value;
    __atomic_store_n(&queue->tail, tail + 1, __ATOMIC_RELEASE);
    return 1;
}

int queue_take(struct queue *queue, uint64_t *value)
{
    uint32_t head = __atomic_load_n(&queue->head, __ATOMIC_RELAXED);
    if (head == __atomic_load_n(&queue->tail, __ATOMIC_ACQUIRE)) {
        return 0;
    }
    *value = queue->slots[head % QUEUE_SLOTS];
    __atomic_store_n(&queue->head, head + 1, __ATOMIC_RELEASE);
    return 1;
}

double harmonic(int terms)
{
    double sum = 0;
    for (int i = 1; i <= terms; i++) {
        sum += 1.0 / i;
    }
    return sum;
}
