// Crossings of probes. t1: the program's stamp; t2: the kernel's at the return.

.macro crossing name, instruction:vararg
.global limen_cross_\name
limen_cross_\name:
    li      t2, 0
    rdcycle t1
    \instruction
.global limen_crossed_\name
limen_crossed_\name:
    rdcycle t4
    sd      t2, 0(a0)
    sd      t4, 8(a0)
    ret
.endm

.text
crossing page_fault, sd zero, 0(a1)
crossing undefined, .4byte 0
crossing breakpoint, ebreak

.global limen_cross_interrupt
limen_cross_interrupt:
    li      t2, 0
    rdcycle t1
.global limen_crossing_interrupt
limen_crossing_interrupt:
    rdcycle t1
    j       limen_crossing_interrupt
.global limen_crossed_interrupt
limen_crossed_interrupt:
    rdcycle t4
    sd      t2, 0(a0)
    sd      t4, 8(a0)
    ret

.global limen_cross_syscall
limen_cross_syscall:
    mv      t3, a0
    mv      a0, a1
    mv      a1, a2
    mv      a7, a3
    li      a6, 0
    li      t2, 0
    rdcycle t1
    ecall
    rdcycle t4
    sd      t2, 0(t3)
    sd      t4, 8(t3)
    ret
