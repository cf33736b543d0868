/* The driver's record, and the channels. */
#ifndef DOMAIN_INTERRUPTS_LOG_H
#define DOMAIN_INTERRUPTS_LOG_H

#include <microkit.h>

/* Ids of the driver's interrupts. */
#define EDGE 1
#define LEVEL 2
/* Channels through which the tester requests an acknowledgement, with the same ids at both ends. */
#define ACKNOWLEDGE_EDGE 11
#define ACKNOWLEDGE_LEVEL 12

struct log {
    /* Interrupts so far, by id. */
    seL4_Word count[LEVEL + 1];
    /* The counter value at the last one. */
    seL4_Word time;
};

#endif /* DOMAIN_INTERRUPTS_LOG_H */
