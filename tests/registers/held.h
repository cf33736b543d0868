/* Registers that hold a program's values during an event. Each architecture's registers.h lists the registers, and those
 * that an event uses. */
#ifndef TESTS_REGISTERS_HELD_H
#define TESTS_REGISTERS_HELD_H

#include "registers.h"

/* Sets the registers, causes the event, and reads them. */
typedef void (*hold_t)(struct held *held);

/* Nothing happens. */
void hold_nothing(struct held *held);
/* Waits until another program of the same priority has set `turn`. */
void hold_preemption(struct held *held);
/* Yields. */
void hold_yield(struct held *held);
/* Signals channel 1. */
void hold_signal(struct held *held);
/* Calls channel 2 with an empty message. */
void hold_call(struct held *held);
/* Calls channel 2 with a message of 120 words. */
void hold_long_call(struct held *held);
/* Asks for the digest with id 0, which takes longer than a slice. */
void hold_service(struct held *held);
/* Executes an undefined instruction, which the parent skips. */
void hold_fault(struct held *held);

/* Gives a child that has not started registers that only its parent can set. Zero if that worked. */
seL4_Word held_set_by_parent(seL4_Word child);

/* Gives every register a value that depends on the seed. */
void held_fill(struct held *held, seL4_Word seed);

/* The number of registers that changed, except those in the bit mask `used`. */
seL4_Word held_count_changed(const struct held *held, seL4_Word used);

/* A step of a linear congruential generator. Source: Knuth, MMIX. */
LIMEN_INLINE seL4_Word next_value(seL4_Word *state)
{
    *state = *state * 6364136223846793005ul + 1442695040888963407ul;
    return *state ^ (*state >> 29);
}

#endif /* TESTS_REGISTERS_HELD_H */
