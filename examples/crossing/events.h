/* What enters the kernel, and what is measured of it. */
#ifndef CROSSING_EVENTS_H
#define CROSSING_EVENTS_H

#include <limen.h>

#include "statistics.h"

/* How the counter is read. */
enum form { PLAIN, SERIALISED };

/* The code of a form. */
struct code {
    void (*cross)(limen_crossing_t *crossing);
    /* Where the program is when a fault or an interrupt comes, and where it goes on. */
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
    /* The program that the kernel returns to, or none if that is this one. */
    seL4_Word arrival;
};
#define HERE ~0ul

#define EVENTS 7
extern const struct event events[EVENTS];

/* What reading the counter adds to each way. */
struct overhead {
    seL4_Word in;
    seL4_Word out;
};
struct overhead measured_overhead(enum form form);

/* Counts from stamp to stamp, with that. */
struct ways {
    struct figures in;
    struct figures out;
    /* Samples that are left out, because the program was in the kernel for something else meanwhile. */
    seL4_Word interrupted;
};

/* False if the event cannot be sampled, or not without something between. */
int measure(const struct event *event, enum form form, struct ways *ways);

#endif /* CROSSING_EVENTS_H */
