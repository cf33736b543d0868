/* Sets every register, causes an event, and reads every register. See registers.h. */

#include "registers.h"

/* Switches from the C program's registers to the held ones. The structure is in rdi. */
    .macro take_over
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    addq $HELD_STACK_BYTES, %rdi
    movq %rsp, HELD_SAVED_SP(%rdi)
    movq %rdi, %rsp
    ldmxcsr HELD_MXCSR_IN(%rsp)
    fldcw HELD_X87_IN(%rsp)
    movq HELD_FS_IN(%rsp), %rax
    wrfsbase %rax
    movq HELD_GS_IN(%rsp), %rax
    wrgsbase %rax
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movups HELD_X_IN + 16 * \n(%rsp), %xmm\n
    .endr
    pushq HELD_FLAGS_IN(%rsp)
    popfq
    movq HELD_R_IN + 0(%rsp), %rax
    movq HELD_R_IN + 8(%rsp), %rcx
    movq HELD_R_IN + 16(%rsp), %rdx
    movq HELD_R_IN + 24(%rsp), %rbx
    movq HELD_R_IN + 40(%rsp), %rbp
    movq HELD_R_IN + 48(%rsp), %rsi
    movq HELD_R_IN + 56(%rsp), %rdi
    movq HELD_R_IN + 64(%rsp), %r8
    movq HELD_R_IN + 72(%rsp), %r9
    movq HELD_R_IN + 80(%rsp), %r10
    movq HELD_R_IN + 88(%rsp), %r11
    movq HELD_R_IN + 96(%rsp), %r12
    movq HELD_R_IN + 104(%rsp), %r13
    movq HELD_R_IN + 112(%rsp), %r14
    movq HELD_R_IN + 120(%rsp), %r15
    .endm

/* Switches back. */
    .macro hand_back
    movq %rax, HELD_R_OUT + 0(%rsp)
    movq %rcx, HELD_R_OUT + 8(%rsp)
    movq %rdx, HELD_R_OUT + 16(%rsp)
    movq %rbx, HELD_R_OUT + 24(%rsp)
    movq %rbp, HELD_R_OUT + 40(%rsp)
    movq %rsi, HELD_R_OUT + 48(%rsp)
    movq %rdi, HELD_R_OUT + 56(%rsp)
    movq %r8, HELD_R_OUT + 64(%rsp)
    movq %r9, HELD_R_OUT + 72(%rsp)
    movq %r10, HELD_R_OUT + 80(%rsp)
    movq %r11, HELD_R_OUT + 88(%rsp)
    movq %r12, HELD_R_OUT + 96(%rsp)
    movq %r13, HELD_R_OUT + 104(%rsp)
    movq %r14, HELD_R_OUT + 112(%rsp)
    movq %r15, HELD_R_OUT + 120(%rsp)
    pushfq
    popq HELD_FLAGS_OUT(%rsp)
    pushq $0
    popfq
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    movups %xmm\n, HELD_X_OUT + 16 * \n(%rsp)
    .endr
    rdfsbase %rax
    movq %rax, HELD_FS_OUT(%rsp)
    rdgsbase %rax
    movq %rax, HELD_GS_OUT(%rsp)
    stmxcsr HELD_MXCSR_OUT(%rsp)
    fnstcw HELD_X87_OUT(%rsp)
    movq HELD_SAVED_SP(%rsp), %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    ret
    .endm

    .macro function name
    .global \name
    .type \name, @function
\name:
    .endm

    .text

function hold_nothing
    take_over
    hand_back

/* Without an instruction that changes flags. */
function hold_preemption
    take_over
    movq HELD_OWN(%rsp), %rax
    notq %rax
1:  movq HELD_TURN(%rsp), %rcx
    movq (%rcx), %rcx
    leaq 1(%rcx, %rax), %rcx
    jrcxz 1b
    hand_back

function hold_yield
    take_over
    movq $-11, %rdx
    syscall
    hand_back

function hold_signal
    take_over
    movq $10 + 1, %rdi
    movq $0, %rsi
    movq $-5, %rdx
    syscall
    hand_back

function hold_call
    take_over
    movq $74 + 2, %rdi
    movq $0, %rsi
    movq $-1, %rdx
    syscall
    hand_back

function hold_long_call
    take_over
    movq $74 + 2, %rdi
    movq $120, %rsi
    movq $-1, %rdx
    syscall
    hand_back

function hold_service
    take_over
    movq $463, %rdi
    movq $0x1030 << 12, %rsi
    movq $-1, %rdx
    syscall
    hand_back

function hold_fault
    take_over
    ud2
    ud2
    hand_back

    .section .note.GNU-stack, "", @progbits
