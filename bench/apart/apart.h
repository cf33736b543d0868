/* What the programs of both domains share: words in memory, of which the kernel knows nothing. */
#ifndef BENCH_APART_H
#define BENCH_APART_H

#include "together.h"

#define GUESTS 2

/* What the guests do. */
enum phase { IDLE, COMPUTING, HOSTILE, PHASES };

/* Written by the observer; the guests cannot write it. */
struct orders {
    seL4_Word phase;
};

/* Written by the guests. */
struct work {
    seL4_Word rounds[GUESTS];
};

/* Where nothing is mapped. */
#define NOWHERE 0x7000000ul

/* The entry of every program. */
#define ENTRY 0x200000ul

#endif /* BENCH_APART_H */
