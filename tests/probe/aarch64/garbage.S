// One value in every register; it comes in x0.

.macro fill
    .irp n, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30
    mov     x\n, x0
    .endr
    mov     sp, x0
.endm

.text
.global garbage_page_fault
garbage_page_fault:
    fill
    str     xzr, [x1]

.global garbage_undefined
garbage_undefined:
    fill
    udf     #0

.global garbage_breakpoint
garbage_breakpoint:
    fill
    brk     #0

.macro coming_back name, event:vararg
.global \name
\name:
    adrp    x2, kept
    add     x2, x2, :lo12:kept
    .irp r, 19, 21, 23, 25, 27, 29
    str     x\r, [x2], #8
    .endr
    .irp r, 20, 22, 24, 26, 28, 30
    str     x\r, [x2], #8
    .endr
    mov     x3, sp
    stp     x3, x0, [x2]
    mov     x7, x1
    fill
    \event
.global \name\()_end
\name\()_end:
    adrp    x2, kept
    add     x2, x2, :lo12:kept
    .irp r, 19, 21, 23, 25, 27, 29
    ldr     x\r, [x2], #8
    .endr
    .irp r, 20, 22, 24, 26, 28, 30
    ldr     x\r, [x2], #8
    .endr
    ldp     x3, x1, [x2]
    mov     sp, x3
    eor     x9, x9, x1
    eor     x10, x10, x1
    orr     x0, x9, x10
    ret
.endm

coming_back garbage_syscall, svc #0
coming_back garbage_probed, udf #0

.bss
.balign 16
kept:
    .skip   14 * 8
