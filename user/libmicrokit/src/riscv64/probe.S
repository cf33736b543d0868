// Probe crossings. t3: the crossing; t1: the program's stamp; t2: the kernel's exit stamp.

.macro begin
    mv      t3, a0
    ld      a0, 0(t3)
    ld      a1, 8(t3)
    ld      a7, 16(t3)
    ld      a6, 24(t3)
    li      t2, 0
.endm

// The program's stamp, with a barrier on both sides or without barriers.
.macro stamp barrier:vararg
    \barrier
    rdcycle t1
    \barrier
.endm

.macro end barrier:vararg
    \barrier
    rdcycle t4
    sd      t1, 32(t3)
    sd      t2, 40(t3)
    sd      t4, 48(t3)
    ret
.endm

// A fence orders counter reads as device input (unprivileged manual, Zicsr, "CSR Access Ordering").
.macro BARRIER
    fence
.endm
.macro JUMP target
    j \target
.endm
.macro READ_WHERE_THE_KERNEL_DOES
    rdcycle t2
.endm
.macro PAGE_FAULT
    sd zero, 0(a0)
.endm
.macro UNDEFINED
    .4byte 0
.endm
.macro BREAKPOINT
    ebreak
.endm
.macro SYSTEM_CALL
    ecall
.endm
#include "../crossings.h"
