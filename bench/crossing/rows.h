/* The two rows of an event. */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include "pass.h"
#include "samples.h"

static struct samples ways_in;
static struct samples ways_out;

static inline void rows_start(void)
{
    samples_start(&ways_in);
    samples_start(&ways_out);
}

/* Returns true while more samples are needed. */
static inline int rows_add(const struct crossed *crossed)
{
    samples_add(&ways_in, crossed->in);
    return samples_add(&ways_out, crossed->out);
}

/* Both names must be of the same event. */
#define ROWS_PRINT(event)                                                      \
    do {                                                                       \
        samples_print_distribution(&ways_in, "cross_u2k event=" event);        \
        samples_print_distribution(&ways_out, "cross_k2u event=" event);       \
    } while (0)

#endif /* BENCH_ROWS_H */
