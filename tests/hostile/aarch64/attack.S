/* The parts of the hostile program that need full control of the registers. */

    .text

/* Loads x0 to x8 from the array in x0 and makes a system call. */
    .global system_call_with
system_call_with:
    mov x9, x0
    ldp x0, x1, [x9]
    ldp x2, x3, [x9, #16]
    ldp x4, x5, [x9, #32]
    ldp x6, x7, [x9, #48]
    ldr x8, [x9, #64]
    svc #0
    ret

/* Jumps to x1 with x2 as the stack pointer and x0 to x30 from the array in x0. Does not return. */
    .global run_with
run_with:
    mov sp, x2
    /* One register must hold the address; use one that a call clobbers anyway. */
    mov x30, x1
    ldp x2, x3, [x0, #16]
    ldp x4, x5, [x0, #32]
    ldp x6, x7, [x0, #48]
    ldp x8, x9, [x0, #64]
    ldp x10, x11, [x0, #80]
    ldp x12, x13, [x0, #96]
    ldp x14, x15, [x0, #112]
    ldp x16, x17, [x0, #128]
    ldp x18, x19, [x0, #144]
    ldp x20, x21, [x0, #160]
    ldp x22, x23, [x0, #176]
    ldp x24, x25, [x0, #192]
    ldp x26, x27, [x0, #208]
    ldp x28, x29, [x0, #224]
    ldp x0, x1, [x0]
    br x30

    .section .note.GNU-stack, "", %progbits
