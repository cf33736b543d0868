/* Instructions of the child that fault at known addresses, and where it starts again. Those that a handler skips take
 * four bytes. Handlers find an aligned stack. */

    .text

/* Restarts on a separate stack, so that restarts do not use up the real one. */
    .global again
again:
    leaq again_stack_end(%rip), %rsp
    call init
    call park

    .global load_instruction
    .global load
load:
load_instruction:
    movq (%rdi), %rax
    ret

    .global undefined_instruction
    .global undefined
undefined:
    subq $8, %rsp
undefined_instruction:
    ud2
    ud2
    addq $8, %rsp
    ret

/* The processor reports the address after the instruction. */
    .global breakpoint_instruction
    .global breakpoint
breakpoint:
    subq $8, %rsp
    int3
breakpoint_instruction:
    nop
    nop
    nop
    nop
    addq $8, %rsp
    ret

/* The system call in rdi with known registers; returns rsi. */
    .global system_call_instruction
    .global system_call
system_call:
    pushq %rbp
    movq %rdi, %rdx
    movl $0x1000, %esi
    leaq 1(%rsi), %rdi
    leaq 2(%rsi), %rbp
    leaq 3(%rsi), %r8
    leaq 4(%rsi), %r9
    leaq 5(%rsi), %r10
system_call_instruction:
    syscall
    nop
    nop
    movq %rsi, %rax
    popq %rbp
    ret

/* The capability in rdi is called, or received from. */
    .global call_instruction
    .global call
call:
    pushq %r15
    xorl %esi, %esi
    movq $-1, %rdx
call_instruction:
    syscall
    movq %rsi, %rax
    popq %r15
    ret

    .global receive_instruction
    .global receive
receive:
    pushq %r12
    pushq %r15
    movl $4, %r12d
    movq $-7, %rdx
receive_instruction:
    syscall
    movq %rdi, %rax
    popq %r15
    popq %r12
    ret

    .bss
    .balign 16
    .skip 4096
again_stack_end:

    .section .note.GNU-stack, "", @progbits
