/* All registers of an x86 program: their values before an event, and their values after it.
 *
 * While an event happens the stack pointer points into this structure, so that every other register can hold an
 * arbitrary value. */
#ifndef TESTS_REGISTERS_REGISTERS_H
#define TESTS_REGISTERS_REGISTERS_H

/* Offsets from the stack pointer during an event. */
#define HELD_R_IN 0
#define HELD_R_OUT 128
#define HELD_X_IN 256
#define HELD_X_OUT 512
#define HELD_FLAGS_IN 768
#define HELD_FLAGS_OUT 776
#define HELD_FS_IN 784
#define HELD_FS_OUT 792
#define HELD_GS_IN 800
#define HELD_GS_OUT 808
#define HELD_MXCSR_IN 816
#define HELD_MXCSR_OUT 820
#define HELD_X87_IN 824
#define HELD_X87_OUT 828
#define HELD_TURN 832
#define HELD_OWN 840
#define HELD_SAVED_SP 848
/* Bytes below, for a value on its way to a register that no instruction can load from anywhere else. */
#define HELD_STACK_BYTES 16

#ifndef __ASSEMBLER__

#include <microkit.h>

struct held {
    seL4_Word stack[2];
    /* By number; the stack pointer, number 4, is not compared. */
    seL4_Word r_in[16], r_out[16];
    seL4_Word x_in[32], x_out[32];
    seL4_Word flags_in, flags_out;
    seL4_Word fs_in, fs_out;
    seL4_Word gs_in, gs_out;
    seL4_Uint32 mxcsr_in, mxcsr_out;
    seL4_Uint32 x87_in, x87_out;
    /* Address of a word that programs of the same priority share: the last program that set it. */
    volatile seL4_Word *turn;
    /* The value that this program stores in it. */
    seL4_Word own;
    seL4_Word saved_sp;
} __attribute__((aligned(16)));

/* Registers that an event uses, a bit each by number: a system call takes rcx and r11 besides its own. */
#define USED_BY_NOTHING 0ul
#define USED_BY_PREEMPTION 0x0003ul
#define USED_BY_YIELD 0x0806ul
#define USED_BY_SIGNAL 0x08c6ul
#define USED_BY_CALL 0x8fc6ul

#endif /* __ASSEMBLER__ */

#endif /* TESTS_REGISTERS_REGISTERS_H */
