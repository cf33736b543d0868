/* One crossing, with the counter read outside of it as well. */
#ifndef BENCH_PASS_H
#define BENCH_PASS_H

#include <limen.h>

struct pass {
    limen_crossing_t crossing;
    seL4_Uint64 before;
    seL4_Uint64 after;
};

/* Everybody takes this way, so that what lies between `before` and the program's stamp, and between its last one and
 * `after`, is the same in every pass of every program. */
void pass_through(struct pass *pass, void (*cross)(limen_crossing_t *crossing));

/* What reading the counter adds: to the way in, to the way out, and to a round trip that is read outside. */
struct overhead {
    seL4_Word in;
    seL4_Word out;
    seL4_Word outside;
};

/* Passes without an event. The smallest of many: a larger one was interrupted. */
struct overhead measured_overhead(void);

/* One way from program to program, or back to the same. */
struct crossed {
    seL4_Word in;
    seL4_Word out;
    /* Of the way in, the way out and what the kernel does between, as those stamps have it and as the reads outside
     * have it. */
    seL4_Word stamped;
    seL4_Word outside;
};

/* `sample` and `leaving` are of the one who enters the kernel, `arriving` is of the one whom it returns to. */
struct crossed crossed(const struct overhead *overhead, const limen_probe_sample_t *sample,
                       const struct pass *leaving, const struct pass *arriving);

#endif /* BENCH_PASS_H */
