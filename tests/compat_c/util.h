/* Definitions shared by client and server. */
#ifndef TESTS_COMPAT_UTIL_H
#define TESTS_COMPAT_UTIL_H

#include <stddef.h>
#include <stdint.h>

#define QUEUE_SLOTS 64

/* A queue with one writer and one reader. */
struct queue {
    uint32_t head;
    uint32_t tail;
    uint64_t slots[QUEUE_SLOTS];
};

int queue_put(struct queue *queue, uint64_t value);
int queue_take(struct queue *queue, uint64_t *value);

/* A sum of reciprocals, to use the floating-point unit. */
double harmonic(int terms);

#endif /* TESTS_COMPAT_UTIL_H */
