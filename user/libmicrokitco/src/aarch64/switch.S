/* Leaves one context (x0) and continues another (x1): limen_co_context_t in cothread/aarch64/context.h. */

    .arch_extension fp

    .macro save_partly continues_at
    mov     x9, sp
    stp     \continues_at, x9, [x0, #0]
    stp     x29, x19, [x0, #16]
    .endm

    .macro save_general
    stp     x20, x21, [x0, #32]
    stp     x22, x23, [x0, #48]
    stp     x24, x25, [x0, #64]
    stp     x26, x27, [x0, #80]
    stp     x28, x30, [x0, #96]
    .endm

    .macro save_floating
    stp     d8, d9, [x0, #112]
    stp     d10, d11, [x0, #128]
    stp     d12, d13, [x0, #144]
    stp     d14, d15, [x0, #160]
    .endm

    .macro continue_other
    ldp     x10, x9, [x1, #0]
    ldp     x29, x19, [x1, #16]
    mov     sp, x9
    br      x10
    .endm

    .macro restore_general
    ldp     x20, x21, [x1, #32]
    ldp     x22, x23, [x1, #48]
    ldp     x24, x25, [x1, #64]
    ldp     x26, x27, [x1, #80]
    ldp     x28, x30, [x1, #96]
    .endm

    .macro restore_floating
    ldp     d8, d9, [x1, #112]
    ldp     d10, d11, [x1, #128]
    ldp     d12, d13, [x1, #144]
    ldp     d14, d15, [x1, #160]
    .endm

    /* Does not load continues_at, which is the instruction after this. */
    .macro continue_caller
    ldr     x9, [x1, #8]
    ldp     x29, x19, [x1, #16]
    mov     sp, x9
    .endm

    .text

    .global limen_co_switch_to
    .type limen_co_switch_to, %function
limen_co_switch_to:
    save_partly x30
    continue_other
    .size limen_co_switch_to, . - limen_co_switch_to

    .global limen_co_call_all
    .type limen_co_call_all, %function
limen_co_call_all:
    adr     x10, called_all
    save_partly x10
    save_general
    save_floating
    continue_other
called_all:
    restore_floating
    restore_general
    mov     w0, wzr
    ret
    .size limen_co_call_all, . - limen_co_call_all

    .global limen_co_leave_root_all
    .type limen_co_leave_root_all, %function
limen_co_leave_root_all:
    mov     x9, sp
    str     x9, [x0, #8]
    stp     x29, x19, [x0, #16]
    save_general
    save_floating
    continue_other
    .size limen_co_leave_root_all, . - limen_co_leave_root_all

    /* Does not load continues_at, which is limen_co_root_continues_all. */
    .global limen_co_return_to_root_all
    .type limen_co_return_to_root_all, %function
limen_co_return_to_root_all:
    save_partly x30
    continue_caller
    .global limen_co_root_continues_all
limen_co_root_continues_all:
    restore_floating
    restore_general
    ret
    .size limen_co_return_to_root_all, . - limen_co_return_to_root_all

    .global limen_co_call_no_fpu
    .type limen_co_call_no_fpu, %function
limen_co_call_no_fpu:
    adr     x10, called_no_fpu
    save_partly x10
    save_general
    continue_other
called_no_fpu:
    restore_general
    mov     w0, wzr
    ret
    .size limen_co_call_no_fpu, . - limen_co_call_no_fpu

    .global limen_co_leave_root_no_fpu
    .type limen_co_leave_root_no_fpu, %function
limen_co_leave_root_no_fpu:
    mov     x9, sp
    str     x9, [x0, #8]
    stp     x29, x19, [x0, #16]
    save_general
    continue_other
    .size limen_co_leave_root_no_fpu, . - limen_co_leave_root_no_fpu

    /* Does not load continues_at, which is limen_co_root_continues_no_fpu. */
    .global limen_co_return_to_root_no_fpu
    .type limen_co_return_to_root_no_fpu, %function
limen_co_return_to_root_no_fpu:
    save_partly x30
    continue_caller
    .global limen_co_root_continues_no_fpu
limen_co_root_continues_no_fpu:
    restore_general
    ret
    .size limen_co_return_to_root_no_fpu, . - limen_co_return_to_root_no_fpu

    /* The frame pointer is 0 here: stack unwinding ends. */
    .global limen_co_start
    .type limen_co_start, %function
limen_co_start:
    bl      limen_co_begin
    brk     #1
    .size limen_co_start, . - limen_co_start

    .section .note.GNU-stack, "", %progbits
