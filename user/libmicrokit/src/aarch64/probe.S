// Crossings of probes. x9: the program's stamp; x10: the kernel's at the return.

.macro crossing name, instruction:vararg
.global limen_cross_\name
limen_cross_\name:
    mov     x10, xzr
    isb
    mrs     x9, pmccntr_el0
    \instruction
.global limen_crossed_\name
limen_crossed_\name:
    mrs     x11, pmccntr_el0
    stp     x10, x11, [x0]
    ret
.endm

.text
crossing page_fault, str xzr, [x1]
crossing undefined, udf #0
crossing breakpoint, brk #0

.global limen_cross_interrupt
limen_cross_interrupt:
    mov     x10, xzr
    mrs     x9, pmccntr_el0
.global limen_crossing_interrupt
limen_crossing_interrupt:
    mrs     x9, pmccntr_el0
    b       limen_crossing_interrupt
.global limen_crossed_interrupt
limen_crossed_interrupt:
    mrs     x11, pmccntr_el0
    stp     x10, x11, [x0]
    ret

.global limen_cross_syscall
limen_cross_syscall:
    mov     x12, x0
    mov     x0, x1
    mov     x1, x2
    mov     x7, x3
    mov     x6, xzr
    mov     x10, xzr
    isb
    mrs     x9, pmccntr_el0
    svc     #0
    mrs     x11, pmccntr_el0
    stp     x10, x11, [x12]
    ret
