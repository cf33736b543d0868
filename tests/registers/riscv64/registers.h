/* All registers of a RISC-V program: their values before an event, and their values after it.
 *
 * While an event happens the stack pointer points to this structure, so that every other register can hold an
 * arbitrary value. */
#ifndef TESTS_REGISTERS_REGISTERS_H
#define TESTS_REGISTERS_REGISTERS_H

/* Offsets from the stack pointer during an event. */
#define HELD_X_IN 0
#define HELD_X_OUT 256
#define HELD_F_IN 512
#define HELD_F_OUT 768
#define HELD_FCSR_IN 1024
#define HELD_FCSR_OUT 1032
#define HELD_TURN 1040
#define HELD_OWN 1048
#define HELD_SAVED_SP 1056

#ifndef __ASSEMBLER__

#include <microkit.h>

struct held {
    /* x0 and the stack pointer are not among those that are compared. */
    seL4_Word x_in[32], x_out[32];
    seL4_Word f_in[32], f_out[32];
    seL4_Word fcsr_in, fcsr_out;
    /* Address of a word that programs of the same priority share: the last program that set it. */
    volatile seL4_Word *turn;
    /* The value that this program stores in it. */
    seL4_Word own;
    seL4_Word saved_sp;
} __attribute__((aligned(16)));

/* Registers that an event uses, one bit each: t0 and t1, a0 to a5, a7. */
#define USED_BY_NOTHING 0ul
#define USED_BY_PREEMPTION 0x60ul
#define USED_BY_YIELD 0x20000ul
#define USED_BY_SIGNAL 0x20c00ul
#define USED_BY_CALL 0x2fc00ul

#endif /* __ASSEMBLER__ */

#endif /* TESTS_REGISTERS_REGISTERS_H */
