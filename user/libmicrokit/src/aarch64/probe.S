// Probe crossings. x12: the crossing; x9: the program's stamp; x10: the kernel's exit stamp.

.macro begin
    mov     x12, x0
    ldp     x0, x1, [x12]
    ldp     x7, x6, [x12, #16]
    mov     x10, xzr
.endm

// The program's stamp, with a barrier on both sides or without barriers.
.macro stamp barrier
    \barrier
    mrs     x9, pmccntr_el0
    \barrier
.endm

.macro end barrier
    \barrier
    mrs     x11, pmccntr_el0
    stp     x9, x10, [x12, #32]
    str     x11, [x12, #48]
    ret
.endm

.macro BARRIER
    isb
.endm
.macro JUMP target
    b \target
.endm
.macro READ_WHERE_THE_KERNEL_DOES
    mrs x10, pmccntr_el0
.endm
.macro PAGE_FAULT
    str xzr, [x0]
.endm
.macro UNDEFINED
    udf #0
.endm
.macro BREAKPOINT
    brk #0
.endm
.macro SYSTEM_CALL
    svc #0
.endm
#include "../crossings.h"
