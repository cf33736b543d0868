/* Memory shared by the driver and the program that raises interrupts. */
#ifndef BENCH_IRQ_ROUNDS_H
#define BENCH_IRQ_ROUNDS_H

#include <microkit.h>

/* How the driver serves an interrupt: it measures, it acknowledges with a system call, or it defers the acknowledgement. */
enum way { LATENCY, ACKNOWLEDGE, DEFER };

struct rounds {
    /* The counter before the last interrupt was raised. */
    seL4_Word raised;
    /* Interrupts that the driver has served. */
    seL4_Word served;
    enum way way;
};

/* The address; set by the tool. */
extern seL4_Word shared_rounds;

static inline volatile struct rounds *rounds(void)
{
    return (volatile struct rounds *)shared_rounds;
}

#endif /* BENCH_IRQ_ROUNDS_H */
