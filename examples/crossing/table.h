/* The results in short: a table, and a line for docs/hardware.md. */
#ifndef CROSSING_TABLE_H
#define CROSSING_TABLE_H

#include "events.h"

/* Medians of one event with a barrier before each reading, from stamp to stamp. */
struct summary {
    int is_measured;
    seL4_Word in;
    seL4_Word out;
};

struct results {
    /* What the figures count. */
    const char *unit;
    int is_page_table_switched;
    /* The cost of the readings, which the figures include. */
    struct overhead reading;
    struct summary events[EVENTS];
};

void table_say(const struct results *results);

#endif /* CROSSING_TABLE_H */
