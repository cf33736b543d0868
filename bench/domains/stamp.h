/* What the programs share. */
#ifndef BENCH_DOMAINS_STAMP_H
#define BENCH_DOMAINS_STAMP_H

#include <microkit.h>

struct stamp {
    /* What the counter said, from the program in whose slot this is. */
    seL4_Word counter;
    /* Whether the row of the first pair was printed. */
    seL4_Word first_is_done;
};

#endif /* BENCH_DOMAINS_STAMP_H */
