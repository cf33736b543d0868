/* All registers of an AArch64 program: their values before an event, and their values after it.
 *
 * While an event happens the stack pointer points into this structure, so that every other register can hold an
 * arbitrary value. */
#ifndef TESTS_REGISTERS_REGISTERS_H
#define TESTS_REGISTERS_REGISTERS_H

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
#define HELD_TPIDRRO_OUT 840

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
    /* Address of a word that programs of the same priority share: the last program that set it. */
    volatile seL4_Word *turn;
    /* The value that this program stores in it. */
    seL4_Word own;
    seL4_Word saved_sp;
    seL4_Word tpidrro_out;
} __attribute__((aligned(16)));

/* Registers that an event uses, one bit each. */
#define USED_BY_NOTHING 0ul
#define USED_BY_PREEMPTION 0x3ul
#define USED_BY_YIELD 0x80ul
#define USED_BY_SIGNAL 0x83ul
#define USED_BY_CALL 0xbful

/* What the parent has given each program in TPIDRRO_EL0, which the program itself cannot set; but the last digits. */
#define HELD_TPIDRRO 0x5eed1e55c0de0000ul

#endif /* __ASSEMBLER__ */

#endif /* TESTS_REGISTERS_REGISTERS_H */
