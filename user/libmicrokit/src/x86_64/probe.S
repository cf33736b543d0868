// Probe crossings. r14: the crossing; rbx: the program's stamp; rdx and rax: the kernel's exit stamp.

.intel_syntax noprefix

.macro begin
    push    rbx
    push    r12
    push    r14
    push    r15
    mov     r14, rdi
    mov     rdi, [r14]
    mov     rsi, [r14 + 8]
    mov     r9, [r14 + 16]
    mov     r12, [r14 + 24]
.endm

// The program's stamp, with a barrier on both sides or without barriers.
.macro stamp barrier
    \barrier
    rdtsc
    \barrier
    shl     rdx, 32
    lea     rbx, [rdx + rax]
    mov     rdx, r9
.endm

.macro end barrier
    mov     r8, rax
    mov     r9, rdx
    \barrier
    rdtsc
    shl     rdx, 32
    or      rdx, rax
    mov     [r14 + 48], rdx
    shl     r9, 32
    or      r9, r8
    mov     [r14 + 40], r9
    mov     [r14 + 32], rbx
    pop     r15
    pop     r14
    pop     r12
    pop     rbx
    ret
.endm

.macro BARRIER
    lfence
.endm
.macro JUMP target
    jmp \target
.endm
.macro READ_WHERE_THE_KERNEL_DOES
    rdtsc
.endm
.macro PAGE_FAULT
    mov qword ptr [rdi], 0
.endm
.macro UNDEFINED
    ud2
.endm
.macro BREAKPOINT
    int3
.endm
.macro SYSTEM_CALL
    syscall
.endm
#include "../crossings.h"
