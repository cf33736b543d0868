/* The parts of the hostile program that need full control of the registers. */

    .text

/* Loads the registers of a system call from the array in a0, and makes it: a0 to a7, then t0. */
    .global system_call_with
system_call_with:
    mv t1, a0
    ld a0, 0(t1)
    ld a1, 8(t1)
    ld a2, 16(t1)
    ld a3, 24(t1)
    ld a4, 32(t1)
    ld a5, 40(t1)
    ld a6, 48(t1)
    ld a7, 56(t1)
    ld t0, 64(t1)
    ecall
    ret

/* Jumps to a1 with a2 as the stack pointer and the other registers from the array in a0. Does not return. */
    .global run_with
run_with:
    mv sp, a2
    /* One register must hold the address; use one that a call clobbers anyway. */
    mv ra, a1
    ld x3, 0(a0)
    ld x4, 8(a0)
    ld x5, 16(a0)
    ld x6, 24(a0)
    ld x7, 32(a0)
    ld x8, 40(a0)
    ld x9, 48(a0)
    ld x11, 56(a0)
    ld x12, 64(a0)
    ld x13, 72(a0)
    ld x14, 80(a0)
    ld x15, 88(a0)
    ld x16, 96(a0)
    ld x17, 104(a0)
    ld x18, 112(a0)
    ld x19, 120(a0)
    ld x20, 128(a0)
    ld x21, 136(a0)
    ld x22, 144(a0)
    ld x23, 152(a0)
    ld x24, 160(a0)
    ld x25, 168(a0)
    ld x26, 176(a0)
    ld x27, 184(a0)
    ld x28, 192(a0)
    ld x29, 200(a0)
    ld x30, 208(a0)
    ld x31, 216(a0)
    ld x10, 224(a0)
    jr ra

    .section .note.GNU-stack, "", %progbits
