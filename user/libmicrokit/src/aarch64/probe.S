// Crossings of probes. x12: the crossing; x9: the program's stamp; x10: the kernel's at the return.

.macro begin
    mov     x12, x0
    ldp     x0, x1, [x12]
    ldp     x7, x6, [x12, #16]
    mov     x10, xzr
.endm

// The program's stamp, with a barrier on both sides or none.
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

#define BARRIER isb
#define JUMP b
#define READ_WHERE_THE_KERNEL_DOES mrs x10, pmccntr_el0
#define PAGE_FAULT str xzr, [x0]
#define UNDEFINED udf #0
#define BREAKPOINT brk #0
#define SYSTEM_CALL svc #0
#include "../crossings.h"
