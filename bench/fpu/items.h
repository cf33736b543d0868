/* What producer and consumer share. */
#ifndef BENCH_FPU_ITEMS_H
#define BENCH_FPU_ITEMS_H

#include "number.h"

/* Numbers in an item. */
#define LENGTH 8

struct items {
    /* The consumer has taken an item, and is about to say so. */
    volatile seL4_Word taken;
    /* Sums that were wrong. */
    volatile seL4_Word wrong;
    /* The item: numbers that follow each other. */
    volatile number_t numbers[LENGTH];
};

#endif /* BENCH_FPU_ITEMS_H */
