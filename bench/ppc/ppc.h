/* Definitions shared by client and servers. */
#ifndef BENCH_PPC_H
#define BENCH_PPC_H

#include <microkit.h>

/* The servers' channel for measurements. On their other one, every word of the answer is one more than the request's. Both
 * take the same path through the kernel. */
#define MEASURED 0

/* Answers on the other channel. */
static inline microkit_msginfo verify(microkit_msginfo request)
{
    seL4_Word count = microkit_msginfo_get_count(request);
    for (seL4_Word i = 0; i < count; i++) {
        microkit_mr_set((seL4_Uint8)i, microkit_mr_get((seL4_Uint8)i) + 1);
    }
    return request;
}

#endif /* BENCH_PPC_H */
