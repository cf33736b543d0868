/* Measurements of the kernel exit in programs that are called and notified. */
#ifndef BENCH_ARRIVALS_H
#define BENCH_ARRIVALS_H

#include "pass.h"

/* One for each channel of the meter. */
#define SERVER 0
#define LISTENER 1
#define BYSTANDER 2

struct arrival {
    struct pass pass;
    seL4_Word interruptions;
    seL4_Word count;
};

/* Waits repeatedly with this system call, and stamps each return. */
static inline void arrive(volatile struct arrival *arrival, seL4_Int64 first, seL4_Int64 next)
{
    static struct pass pass;
    limen_probe_sample_t sample;
    pass.crossing = (limen_crossing_t){ .target = LIMEN_INPUT_CAP, .number = (seL4_Word)first, .reply = LIMEN_REPLY_CAP };
    limen_probe_start();
    for (;;) {
        limen_probe_arm_syscall();
        pass_through(&pass, limen_cross_syscall);
        limen_probe_read(&sample);
        arrival->pass = pass;
        arrival->interruptions = sample.interruptions_after;
        arrival->count++;
        pass.crossing.number = (seL4_Word)next;
    }
}

#endif /* BENCH_ARRIVALS_H */
