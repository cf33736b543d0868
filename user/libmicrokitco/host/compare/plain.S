/* A switch as most libraries have it: a function that keeps the six registers that calls preserve on the stack. It stores
 * the stack pointer at rdi and loads it from rsi. plain_by_return continues with a return, for which the processor predicts
 * the wrong address; plain_by_jump with a jump. */

    .macro exchange
    pushq   %rbx
    pushq   %rbp
    pushq   %r12
    pushq   %r13
    pushq   %r14
    pushq   %r15
    movq    %rsp, (%rdi)
    movq    (%rsi), %rsp
    popq    %r15
    popq    %r14
    popq    %r13
    popq    %r12
    popq    %rbp
    popq    %rbx
    .endm

    .text
    .global plain_by_return
plain_by_return:
    exchange
    ret

    .global plain_by_jump
plain_by_jump:
    exchange
    popq    %rcx
    jmp     *%rcx

    .section .note.GNU-stack, "", @progbits
