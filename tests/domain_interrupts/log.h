/* What the driver writes down, and the channels. */
#ifndef DOMAIN_INTERRUPTS_LOG_H
#define DOMAIN_INTERRUPTS_LOG_H

#include <microkit.h>

/* Ids of the driver's interrupts. */
#define EDGE 1
#define LEVEL 2
/* Ids by which the tester has the driver acknowledge one, at both ends. */
#define ACKNOWLEDGE_EDGE 11
#define ACKNOWLEDGE_LEVEL 12

struct log {
    /* Interrupts so far, by id. */
    seL4_Word count[LEVEL + 1];
    /* What the counter said at the last one. */
    seL4_Word time;
};

#endif /* DOMAIN_INTERRUPTS_LOG_H */
