/* What the watched domain writes down. */
#ifndef SLOTS_LOG_H
#define SLOTS_LOG_H

#include <microkit.h>

/* Slots that are remembered. */
#define LOG_SLOTS 250

struct log {
    /* Slots that have begun. */
    seL4_Word slots;
    /* What the counter said when the echo was last asked for. */
    seL4_Word echo;
    /* What the counter said at the beginning of each slot, and at the end of the one before. */
    seL4_Word begin[LOG_SLOTS];
    seL4_Word end[LOG_SLOTS];
};

#endif /* SLOTS_LOG_H */
