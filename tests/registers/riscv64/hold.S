/* Sets every register, causes an event, and reads every register. See registers.h. */

#include "registers.h"

#define STACK_BYTES 224

/* Registers that a C function must give back: ra, gp, tp, s0 to s11, fs0 to fs11. */
    .macro each_kept integer, float
    \integer x1, 0(sp)
    \integer x3, 8(sp)
    \integer x4, 16(sp)
    \integer x8, 24(sp)
    \integer x9, 32(sp)
    .set offset, 40
    .irp n, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
    \integer x\n, offset(sp)
    .set offset, offset + 8
    .endr
    .irp n, 8, 9, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27
    \float f\n, offset(sp)
    .set offset, offset + 8
    .endr
    .endm

    .macro each_held integer, x, float, f
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \float f\n, \f + 8 * \n(sp)
    .endr
    .irp n, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \integer x\n, \x + 8 * \n(sp)
    .endr
    .endm

/* Switches from the C program's registers to the held ones. The structure is in a0. */
    .macro take_over
    addi sp, sp, -STACK_BYTES
    each_kept sd, fsd
    sd sp, HELD_SAVED_SP(a0)
    mv sp, a0
    ld t0, HELD_FCSR_IN(sp)
    fscsr t0
    each_held ld, HELD_X_IN, fld, HELD_F_IN
    .endm

/* Switches back. */
    .macro hand_back
    each_held sd, HELD_X_OUT, fsd, HELD_F_OUT
    frcsr t0
    sd t0, HELD_FCSR_OUT(sp)
    fscsr zero
    ld sp, HELD_SAVED_SP(sp)
    each_kept ld, fld
    addi sp, sp, STACK_BYTES
    ret
    .endm

    .macro function name
    .global \name
    .type \name, %function
\name:
    .endm

    .text

function hold_nothing
    take_over
    hand_back

function hold_preemption
    take_over
1:  ld t0, HELD_TURN(sp)
    ld t0, 0(t0)
    ld t1, HELD_OWN(sp)
    beq t0, t1, 1b
    hand_back

function hold_yield
    take_over
    li a7, -11
    ecall
    hand_back

function hold_signal
    take_over
    li a0, 10 + 1
    li a1, 0
    li a7, -5
    ecall
    hand_back

function hold_call
    take_over
    li a0, 74 + 2
    li a1, 0
    li a7, -1
    ecall
    hand_back

function hold_long_call
    take_over
    li a0, 74 + 2
    li a1, 120
    li a7, -1
    ecall
    hand_back

function hold_service
    take_over
    li a0, 463
    li a1, 0x1030 << 12
    li a7, -1
    ecall
    hand_back

function hold_fault
    take_over
    .option push
    .option norvc
    unimp
    .option pop
    hand_back

    .section .note.GNU-stack, "", %progbits
