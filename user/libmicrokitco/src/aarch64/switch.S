/* Leaves one context and continues another: limen_co_context_t in cothread/aarch64/context.h. */

    .arch_extension fp

    .macro exchange_general
    mov     x9, sp
    stp     x19, x20, [x0, #0]
    stp     x21, x22, [x0, #16]
    stp     x23, x24, [x0, #32]
    stp     x25, x26, [x0, #48]
    stp     x27, x28, [x0, #64]
    stp     x29, x30, [x0, #80]
    str     x9, [x0, #96]
    ldp     x19, x20, [x1, #0]
    ldp     x21, x22, [x1, #16]
    ldp     x23, x24, [x1, #32]
    ldp     x25, x26, [x1, #48]
    ldp     x27, x28, [x1, #64]
    ldp     x29, x30, [x1, #80]
    ldp     x9, x0, [x1, #96]
    mov     sp, x9
    .endm

    .text

    .global limen_co_switch_all
    .type limen_co_switch_all, %function
limen_co_switch_all:
    stp     d8, d9, [x0, #112]
    stp     d10, d11, [x0, #128]
    stp     d12, d13, [x0, #144]
    stp     d14, d15, [x0, #160]
    ldp     d8, d9, [x1, #112]
    ldp     d10, d11, [x1, #128]
    ldp     d12, d13, [x1, #144]
    ldp     d14, d15, [x1, #160]
    exchange_general
    ret
    .size limen_co_switch_all, . - limen_co_switch_all

    .global limen_co_switch_no_fpu
    .type limen_co_switch_no_fpu, %function
limen_co_switch_no_fpu:
    exchange_general
    ret
    .size limen_co_switch_no_fpu, . - limen_co_switch_no_fpu

    /* The frame pointer is 0 here: stack unwinding ends. */
    .global limen_co_start
    .type limen_co_start, %function
limen_co_start:
    bl      limen_co_begin
    brk     #1
    .size limen_co_start, . - limen_co_start

    .section .note.GNU-stack, "", %progbits
