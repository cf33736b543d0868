/* A round: a program sets the device for a moment and makes the kernel work. Stored in page `round`, for all programs. */
#ifndef BENCH_ROUND_H
#define BENCH_ROUND_H

#include "moment.h"
#include "samples.h"

/* The device must not interrupt in this round. */
#define NEVER 1000000000ul

struct round {
    /* The result of `moment_start`. */
    seL4_Word device;
    /* The round number for this kind of work. */
    seL4_Word number;
    /* The first round's moment, from its start, and the number of counts over which so many moments are spread. */
    seL4_Word lead;
    seL4_Word span;
    seL4_Word moments;
    /* Counter values: start of the round, request for the work, due time of the device, start of the driver. */
    seL4_Word begin;
    seL4_Word start;
    seL4_Word due;
    seL4_Word served;
    /* Whether the driver wakes the worker. */
    seL4_Bool wakes;
};

/* Its address; set by the tool. */
extern seL4_Word round_base;

static inline volatile struct round *this_round(void)
{
    return (volatile struct round *)round_base;
}

/* Called before the work. Takes the same number of instructions in every round. */
static inline void round_begin(void)
{
    volatile struct round *round = this_round();
    seL4_Word now = limen_counter();
    round->begin = now;
    round->served = 0;
    round->due = moment_set(now + round->lead + round->span * (round->number % round->moments) / round->moments, round->device);
    round->start = limen_counter();
}

#endif /* BENCH_ROUND_H */
