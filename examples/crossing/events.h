/* Events that enter the kernel, and their measurements. */
#ifndef CROSSING_EVENTS_H
#define CROSSING_EVENTS_H

#include <limen.h>

#include "statistics.h"

/* How the counter is read. */
enum form { PLAIN, SERIALISED };

/* The code of one form. */
struct code {
    void (*cross)(limen_crossing_t *crossing);
    /* The program counter at a fault or an interrupt, and the address to continue at. */
    void (*first)(void);
    void (*last)(void);
};

struct event {
    const char *name;
    limen_probe_event_t kind;
    struct code codes[2];
    /* The address of a page fault; the capability and the number of a system call. */
    seL4_Word target;
    seL4_Int64 number;
    /* The program that the kernel returns to, or none if it returns to this one. */
    seL4_Word arrival;
};
#define HERE ~0ul

#define EVENTS 7
extern const struct event events[EVENTS];

/* The cost of the counter reads in each direction. */
struct overhead {
    seL4_Word in;
    seL4_Word out;
};
struct overhead measured_overhead(enum form form);

/* Counts from stamp to stamp, including that cost. */
struct ways {
    struct figures in;
    struct figures out;
    /* Discarded samples, because the program entered the kernel for another reason in between. */
    seL4_Word interrupted;
};

/* Returns false if the event cannot be sampled without interruptions. */
int measure(const struct event *event, enum form form, struct ways *ways);

#endif /* CROSSING_EVENTS_H */
