# One value in every register; it comes in rdi.
.intel_syntax noprefix

.macro fill
    .irp r, rax, rcx, rbx, rbp, r8, r9, r10, r11, r12, r13, r14, r15, rsp
    mov     \r, rdi
    .endr
.endm

.macro each_kept access
    .set    place, 0
    .irp r, rbx, rbp, r12, r13, r14, r15, rsp
    \access \r, place
    .set    place, place + 8
    .endr
.endm

.macro keep register, place
    mov     [rip + kept + \place], \register
.endm

.macro take register, place
    mov     \register, [rip + kept + \place]
.endm

.text
.global garbage_page_fault
garbage_page_fault:
    mov     rdx, rdi
    fill
    mov     qword ptr [rsi], 0

.global garbage_undefined
garbage_undefined:
    mov     rdx, rdi
    mov     rsi, rdi
    fill
    ud2

.global garbage_breakpoint
garbage_breakpoint:
    mov     rdx, rdi
    mov     rsi, rdi
    fill
    int3

.macro coming_back name, event:vararg
.global \name
\name:
    each_kept keep
    keep    rdi, 56
    keep    rsi, 64
    mov     rdx, rsi
    mov     rsi, rdi
    fill
    \event
.global \name\()_end
\name\()_end:
    take    rdi, 56
    take    rsi, 64
    xor     rax, rdi
    xor     rbx, rdi
    xor     rdx, rsi
    or      rax, rbx
    or      rax, rdx
    each_kept take
    ret
.endm

coming_back garbage_syscall, syscall
coming_back garbage_probed, ud2

.bss
.balign 8
kept:
    .skip   9 * 8
