/* A round: the device is set for a moment, and the kernel is made to work. In page `round`, for all programs. */
#ifndef BENCH_ROUND_H
#define BENCH_ROUND_H

#include "moment.h"
#include "samples.h"

/* The device is not to interrupt in this round. */
#define NEVER 1000000000ul

struct round {
    /* What `moment_start` has given. */
    seL4_Word device;
    /* Of this kind of work. */
    seL4_Word number;
    /* When the device is due after the beginning of the first round, and over how many counts the moments are spread. */
    seL4_Word lead;
    seL4_Word span;
    /* Counts: when the round began, when the work was asked for, when the device was due, and when the driver began. */
    seL4_Word begin;
    seL4_Word start;
    seL4_Word due;
    seL4_Word served;
};

/* Where it is mapped; set by the tool. */
extern seL4_Word round_base;

static inline volatile struct round *this_round(void)
{
    return (volatile struct round *)round_base;
}

/* Comes before the work. Takes as many instructions in every round. */
static inline void round_begin(void)
{
    volatile struct round *round = this_round();
    seL4_Word now = limen_counter();
    round->begin = now;
    round->served = 0;
    round->due = moment_set(now + round->lead + round->span * (round->number % SAMPLES) / SAMPLES, round->device);
    round->start = limen_counter();
}

#endif /* BENCH_ROUND_H */
