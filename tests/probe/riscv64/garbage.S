# One value in every register; it comes in a0. Nothing may be addressed by gp while it has that value.
.option norelax

.macro fill
    .irp r, ra, sp, gp, tp, t0, t1, t2, t3, t4, t5, t6, a2, a3, a4, a5, a6, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11
    mv      \r, a0
    .endr
.endm

.macro each_kept access
    .set    place, 0
    .irp r, ra, sp, gp, tp, s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11
    \access \r, place(t0)
    .set    place, place + 8
    .endr
.endm

.text
.global garbage_page_fault
garbage_page_fault:
    fill
    sd      zero, 0(a1)

.global garbage_undefined
garbage_undefined:
    fill
    .4byte  0

.global garbage_breakpoint
garbage_breakpoint:
    fill
    ebreak

.macro coming_back name, event:vararg
.global \name
\name:
    lla     t0, kept
    each_kept sd
    sd      a0, 128(t0)
    mv      a7, a1
    fill
    \event
.global \name\()_end
\name\()_end:
    lla     t0, kept
    each_kept ld
    ld      a1, 128(t0)
    xor     t1, t1, a1
    xor     t2, t2, a1
    or      a0, t1, t2
    ret
.endm

coming_back garbage_syscall, ecall
coming_back garbage_probed, .4byte 0

.bss
.balign 8
kept:
    .skip   17 * 8
