// Crossings of probes. rbx: the program's stamp; rdx and rax: the kernel's at the return.

.intel_syntax noprefix

.macro stamp_to_rbx
    lfence
    rdtsc
    shl     rdx, 32
    lea     rbx, [rdx + rax]
.endm

// To the crossing at \to.
.macro store_crossing to
    mov     r8, rax
    mov     r9, rdx
    rdtsc
    shl     rdx, 32
    or      rdx, rax
    mov     [\to + 8], rdx
    shl     r9, 32
    or      r9, r8
    mov     [\to], r9
.endm

.macro crossing name, instruction:vararg
.global limen_cross_\name
limen_cross_\name:
    push    rbx
    stamp_to_rbx
    \instruction
.global limen_crossed_\name
limen_crossed_\name:
    store_crossing rdi
    pop     rbx
    ret
.endm

.text
crossing page_fault, mov qword ptr [rsi], 0
crossing undefined, ud2
crossing breakpoint, int3

.global limen_cross_interrupt
limen_cross_interrupt:
    push    rbx
    stamp_to_rbx
.global limen_crossing_interrupt
limen_crossing_interrupt:
    rdtsc
    shl     rdx, 32
    lea     rbx, [rdx + rax]
    jmp     limen_crossing_interrupt
.global limen_crossed_interrupt
limen_crossed_interrupt:
    store_crossing rdi
    pop     rbx
    ret

.global limen_cross_syscall
limen_cross_syscall:
    push    rbx
    push    r12
    push    r13
    push    r14
    push    r15
    mov     r14, rdi
    mov     rdi, rsi
    mov     rsi, rdx
    mov     r9, rcx
    xor     r12d, r12d
    stamp_to_rbx
    mov     rdx, r9
    syscall
    store_crossing r14
    pop     r15
    pop     r14
    pop     r13
    pop     r12
    pop     rbx
    ret
