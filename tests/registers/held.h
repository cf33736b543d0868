/* All registers of a program: what they are set to before an event, and what they are found to be after it.
 *
 * While an event happens the stack pointer points into this structure, so that every other register can hold a value that
 * means nothing. */
#ifndef TESTS_REGISTERS_HELD_H
#define TESTS_REGISTERS_HELD_H

/* Offsets from the stack pointer during an event. */
#define HELD_Q_IN (-768)
#define HELD_X_IN (-256)
#define HELD_FLAGS_IN (-8)
#define HELD_X_OUT 0
#define HELD_FLAGS_OUT 248
#define HELD_Q_OUT 256
#define HELD_TPIDR_IN 768
#define HELD_TPIDR_OUT 776
#define HELD_FPCR_IN 784
#define HELD_FPCR_OUT 792
#define HELD_FPSR_IN 800
#define HELD_FPSR_OUT 808
#define HELD_TURN 816
#define HELD_OWN 824
#define HELD_SAVED_SP 832

#ifndef __ASSEMBLER__

#include <microkit.h>

struct quad {
    seL4_Word low, high;
};

struct held {
    struct quad q_in[32];
    seL4_Word x_in[31];
    seL4_Word flags_in;
    seL4_Word x_out[31];
    seL4_Word flags_out;
    struct quad q_out[32];
    seL4_Word tpidr_in, tpidr_out;
    seL4_Word fpcr_in, fpcr_out;
    seL4_Word fpsr_in, fpsr_out;
    /* A word that programs of the same priority share; who set it last. */
    volatile seL4_Word *turn;
    /* What this program sets it to. */
    seL4_Word own;
    seL4_Word saved_sp;
} __attribute__((aligned(16)));

/* Sets the registers, lets the event happen, and reads them. */
typedef void (*hold_t)(struct held *held);

/* Nothing happens. */
void hold_nothing(struct held *held);
/* Waits until another program of the same priority has set `turn`. Uses x0 and x1. */
void hold_preemption(struct held *held);
/* Yields. Uses x7. */
void hold_yield(struct held *held);
/* Signals channel 1. Uses x0, x1 and x7. */
void hold_signal(struct held *held);
/* Calls channel 2 with an empty message. Uses x0 to x5 and x7. */
void hold_call(struct held *held);
/* Calls channel 2 with a message of 120 words. Uses x0 to x5 and x7. */
void hold_long_call(struct held *held);
/* Executes an undefined instruction, which the parent skips. Uses nothing. */
void hold_fault(struct held *held);

/* Gives every register a value that depends on the seed. */
void held_fill(struct held *held, seL4_Word seed);

/* How many registers changed, those in the bit mask `used` left out. */
seL4_Word held_count_changed(const struct held *held, seL4_Word used);

#endif /* __ASSEMBLER__ */

#endif /* TESTS_REGISTERS_HELD_H */
