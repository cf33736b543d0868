/* Memory shared by producer and consumer. */
#ifndef BENCH_FPU_ITEMS_H
#define BENCH_FPU_ITEMS_H

#include "number.h"

/* Numbers in an item. */
#define LENGTH 8

struct items {
    /* The consumer has taken an item and is about to notify. */
    volatile seL4_Word taken;
    /* The number of wrong sums. */
    volatile seL4_Word wrong;
    /* The item: consecutive numbers. */
    volatile number_t numbers[LENGTH];
};

#endif /* BENCH_FPU_ITEMS_H */
