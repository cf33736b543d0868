/* Leaves one context (x0) and continues another (x1): limen_co_context_t in cothread/aarch64/context.h. */

    .arch_extension fp

    .macro save_with_address address
    mov     x9, sp
    stp     \address, x9, [x0, #0]
    stp     x29, x19, [x0, #16]
    .endm

    .macro save_partly
    save_with_address x30
    .endm

    .macro save_partly_for label
    adr     x10, \label
    save_with_address x10
    .endm

    .macro save_reserved
    mov     x9, sp
    str     x9, [x0, #8]
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

    .macro restore_reserved
    ldr     x9, [x1, #8]
    ldp     x29, x19, [x1, #16]
    mov     sp, x9
    .endm

    .macro clear_result
    mov     w0, wzr
    .endm

    .macro enter_cothread
    bl      limen_co_begin
    brk     #1
    .endm

#include "../switch_by_call.S"
