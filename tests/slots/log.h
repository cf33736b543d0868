/* The record of the watched domain. */
#ifndef SLOTS_LOG_H
#define SLOTS_LOG_H

#include <microkit.h>

/* Slots that are remembered. */
#define LOG_SLOTS 250

struct log {
    /* Slots that have begun. */
    seL4_Word slots;
    /* The counter value at the last call of echo. */
    seL4_Word echo;
    /* The counter values at the start of each slot, and at the end of the previous one. */
    seL4_Word begin[LOG_SLOTS];
    seL4_Word end[LOG_SLOTS];
};

#endif /* SLOTS_LOG_H */
