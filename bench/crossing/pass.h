/* One crossing, with counter reads outside it as well. */
#ifndef BENCH_PASS_H
#define BENCH_PASS_H

#include <limen.h>

struct pass {
    limen_crossing_t crossing;
    seL4_Uint64 before;
    seL4_Uint64 after;
};

/* All programs use this function, so that the code between `before` and the program's stamp, and between its last stamp and
 * `after`, is the same in every pass. */
void pass_through(struct pass *pass, void (*cross)(limen_crossing_t *crossing));

/* The cost of reading the counter: on entry, on exit, and in a round trip between the outer reads. */
struct overhead {
    seL4_Word in;
    seL4_Word out;
    seL4_Word outside;
};

/* Passes without an event. The smallest of many: a larger one was interrupted. */
struct overhead measured_overhead(void);

/* One crossing from program to program, or back to the same program. */
struct crossed {
    seL4_Word in;
    seL4_Word out;
    /* Entry, exit and the kernel's work between them, by the stamps and by the outer reads. */
    seL4_Word stamped;
    seL4_Word outside;
    /* Between an outer read and the stamp next to it, on both sides. */
    seL4_Word around;
    /* Whether no stamp is earlier than the read or the stamp before it. */
    int is_in_order;
};

/* `sample` and `leaving` belong to the program that enters the kernel, `arriving` to the program it returns to. */
struct crossed crossed(const struct overhead *overhead, const limen_probe_sample_t *sample,
                       const struct pass *leaving, const struct pass *arriving);

#endif /* BENCH_PASS_H */
