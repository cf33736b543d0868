/* Sets every register, causes an event, and reads every register. See registers.h. */

#include "registers.h"

#define STACK_BYTES 176

/* Switches from the C program's registers to the held ones. The structure is in x0. */
    .macro take_over
    sub sp, sp, #STACK_BYTES
    stp x19, x20, [sp, #0]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mov x1, sp
    add x0, x0, #-HELD_Q_IN
    str x1, [x0, #HELD_SAVED_SP]
    mov sp, x0
    ldr x0, [sp, #HELD_TPIDR_IN]
    msr tpidr_el0, x0
    ldr x0, [sp, #HELD_FPCR_IN]
    msr fpcr, x0
    ldr x0, [sp, #HELD_FPSR_IN]
    msr fpsr, x0
    ldur x0, [sp, #HELD_FLAGS_IN]
    msr nzcv, x0
    .irp n, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
    load_quads \n
    .endr
    .irp n, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28
    load_pair \n
    .endr
    ldur x30, [sp, #HELD_X_IN + 8 * 30]
    .endm

/* Switches back. */
    .macro hand_back
    .irp n, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28
    store_pair \n
    .endr
    str x30, [sp, #HELD_X_OUT + 8 * 30]
    .irp n, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
    store_quads \n
    .endr
    mrs x0, nzcv
    str x0, [sp, #HELD_FLAGS_OUT]
    mrs x0, tpidr_el0
    str x0, [sp, #HELD_TPIDR_OUT]
    mrs x0, tpidrro_el0
    str x0, [sp, #HELD_TPIDRRO_OUT]
    mrs x0, fpcr
    str x0, [sp, #HELD_FPCR_OUT]
    msr fpcr, xzr
    mrs x0, fpsr
    str x0, [sp, #HELD_FPSR_OUT]
    ldr x0, [sp, #HELD_SAVED_SP]
    mov sp, x0
    ldp x19, x20, [sp, #0]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #STACK_BYTES
    ret
    .endm

/* Registers come in pairs, the second one number higher. */
    .macro pair_of operation, bank, n, offset
    .set second, \n + 1
    pair_with_second \operation, \bank, \n, %second, \offset
    .endm

    .altmacro
    .macro pair_with_second operation, bank, n, second, offset
    \operation \bank\()\n, \bank\()\second, [sp, #\offset]
    .endm

    .macro load_pair n
    pair_of ldp, x, \n, <HELD_X_IN + 8 * \n>
    .endm

    .macro store_pair n
    pair_of stp, x, \n, <HELD_X_OUT + 8 * \n>
    .endm

    .macro load_quads n
    pair_of ldp, q, \n, <HELD_Q_IN + 16 * \n>
    .endm

    .macro store_quads n
    pair_of stp, q, \n, <HELD_Q_OUT + 16 * \n>
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
1:  ldr x0, [sp, #HELD_TURN]
    ldr x0, [x0]
    ldr x1, [sp, #HELD_OWN]
    eor x0, x0, x1
    cbz x0, 1b
    hand_back

function hold_yield
    take_over
    mov x7, #-11
    svc #0
    hand_back

function hold_signal
    take_over
    mov x0, #10 + 1
    mov x1, #0
    mov x7, #-5
    svc #0
    hand_back

function hold_call
    take_over
    mov x0, #74 + 2
    mov x1, #0
    mov x7, #-1
    svc #0
    hand_back

function hold_long_call
    take_over
    mov x0, #74 + 2
    mov x1, #120
    mov x7, #-1
    svc #0
    hand_back

function hold_service
    take_over
    mov x0, #463
    mov x1, #0x1030 << 12
    mov x7, #-1
    svc #0
    hand_back

function hold_fault
    take_over
    udf #0
    hand_back

    .section .note.GNU-stack, "", %progbits
