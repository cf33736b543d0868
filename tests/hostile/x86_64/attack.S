/* The parts of the hostile program that need full control of the registers. */

    .text

/* Loads the registers of a system call from the array in rdi, and makes it: rdi, rsi, r10, r8, r9, r15, r12, rdx, r13. */
    .global system_call_with
system_call_with:
    pushq %r12
    pushq %r13
    pushq %r15
    movq %rdi, %rax
    movq 0(%rax), %rdi
    movq 8(%rax), %rsi
    movq 16(%rax), %r10
    movq 24(%rax), %r8
    movq 32(%rax), %r9
    movq 40(%rax), %r15
    movq 48(%rax), %r12
    movq 56(%rax), %rdx
    movq 64(%rax), %r13
    syscall
    popq %r15
    popq %r13
    popq %r12
    ret

/* Jumps to rsi with rdx as the stack pointer and the other registers from the array in rdi. Does not return. */
    .global run_with
run_with:
    movq %rdx, %rsp
    /* One register must hold the address; use one that a system call clobbers anyway. */
    movq %rsi, %rcx
    movq 0(%rdi), %rax
    movq 8(%rdi), %rbx
    movq 16(%rdi), %rdx
    movq 24(%rdi), %rbp
    movq 32(%rdi), %rsi
    movq 40(%rdi), %r8
    movq 48(%rdi), %r9
    movq 56(%rdi), %r10
    movq 64(%rdi), %r11
    movq 72(%rdi), %r12
    movq 80(%rdi), %r13
    movq 88(%rdi), %r14
    movq 96(%rdi), %r15
    movq 104(%rdi), %rdi
    jmp *%rcx

    .section .note.GNU-stack, "", @progbits
