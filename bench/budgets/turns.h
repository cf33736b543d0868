/* Memory shared by the programs that take turns. */
#ifndef BENCH_BUDGETS_TURNS_H
#define BENCH_BUDGETS_TURNS_H

#include <microkit.h>

struct turns {
    /* True after the other measurements. */
    seL4_Word started;
    /* True when a pair of programs has finished: first the pair with shares. */
    seL4_Word finished[2];
    /* The counter, stored in a loop by each of the two programs of a pair. */
    seL4_Word counter[2];
};

#endif /* BENCH_BUDGETS_TURNS_H */
