/* The samples of one event, of which those that were interrupted are left out. */
#ifndef BENCH_METER_H
#define BENCH_METER_H

#include "rows.h"

/* Nothing is mapped there. */
#define UNMAPPED 0x10000000ul
/* The number of passes of which one may be interrupted. */
#define PASSES_PER_SLICE 20

static struct overhead overhead;
static struct pass pass;
static limen_probe_sample_t sample;
static seL4_Word interrupted;

#if defined(IN_CYCLES)
/* Cycles do not add up, because pipeline and caches make an instruction take longer in one pass than in another. The stamps must
 * still lie between the outer reads, and at most this many cycles may lie outside of the stamps. */
#define MOST_AROUND 200
static struct samples arounds;

static inline int adds_up(const struct crossed *found)
{
    bench_check(found->is_in_order, "a stamp is not where it was taken");
    return found->around <= MOST_AROUND;
}
#else
static inline int adds_up(const struct crossed *found)
{
    return found->stamped == found->outside;
}
#endif

static inline void start(void)
{
    interrupted = 0;
    rows_start();
#if defined(IN_CYCLES)
    samples_start(&arounds);
#endif
}

/* Returns true while more samples are needed. */
static inline int keep(const struct pass *arriving, seL4_Word interruptions)
{
    struct crossed found = crossed(&overhead, &sample, &pass, arriving);
    if (interruptions || !adds_up(&found)) {
        interrupted++;
        bench_check(interrupted <= ROUNDS / PASSES_PER_SLICE, "the ways in and out are not what a round trip takes");
        return 1;
    }
#if defined(IN_CYCLES)
    samples_add(&arounds, found.around);
#endif
    return rows_add(&found);
}

static inline void print_around(const char *row)
{
#if defined(IN_CYCLES)
    samples_print_distribution(&arounds, row);
#else
    (void)row;
#endif
}

/* The rows of an event. */
#define PRINT(event)                                   \
    do {                                               \
        ROWS_PRINT(event);                             \
        print_around("cross_around event=" event);     \
    } while (0)

static inline void set_target(seL4_Word target, seL4_Int64 number)
{
    pass.crossing.target = target;
    pass.crossing.number = (seL4_Word)number;
}

/* Prints the row of what `take` costs, which causes an event and reads its sample. */
static inline void measure_cost(void (*take)(void), const char *row)
{
    static struct samples costs;
    seL4_Word before;
    samples_start(&costs);
    do {
        before = limen_counter();
        take();
    } while (samples_add(&costs, limen_counter() - before));
    samples_print(&costs, row);
}

#endif /* BENCH_METER_H */
