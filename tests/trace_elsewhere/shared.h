/* Memory that the programs of this suite share. */
#ifndef TRACE_ELSEWHERE_SHARED_H
#define TRACE_ELSEWHERE_SHARED_H

#include "together.h"

struct shared {
    /* Signals that the waiter and the writer have handled. */
    seL4_Word waited;
    seL4_Word written;
};

/* The address of the memory; set by the tool. */
extern seL4_Word shared;

static inline struct shared *all(void)
{
    return (struct shared *)shared;
}

#endif /* TRACE_ELSEWHERE_SHARED_H */
