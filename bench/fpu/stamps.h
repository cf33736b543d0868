/* Time stamps in memory shared by several programs. */
#ifndef BENCH_FPU_STAMPS_H
#define BENCH_FPU_STAMPS_H

#include <microkit.h>

struct stamps {
    /* The server has received a call and computed. */
    volatile seL4_Word received;
    /* The server is about to answer. */
    volatile seL4_Word answering;
    /* The cost of the user's computation. */
    volatile seL4_Word use;
};

#endif /* BENCH_FPU_STAMPS_H */
