/* Leaves one context (rdi) for another (rsi): limen_co_context_t in cothread/x86_64/context.h. Callers jump here; rax
 * is the address where the old context continues. */

    .text

    .global limen_co_switch_all
    .type limen_co_switch_all, @function
limen_co_switch_all:
    stmxcsr 24(%rdi)
    fnstcw  28(%rdi)
    ldmxcsr 24(%rsi)
    fldcw   28(%rsi)
    /* Falls through. */
    .size limen_co_switch_all, . - limen_co_switch_all

    .global limen_co_switch_no_fpu
    .type limen_co_switch_no_fpu, @function
limen_co_switch_no_fpu:
    movq    %rsp, 0(%rdi)
    movq    %rax, 8(%rdi)
    movq    %rbp, 16(%rdi)
    movq    0(%rsi), %rsp
    movq    16(%rsi), %rbp
    jmp     *8(%rsi)
    .size limen_co_switch_no_fpu, . - limen_co_switch_no_fpu

    .global limen_co_start
    .type limen_co_start, @function
limen_co_start:
    subq    $8, %rsp
    call    limen_co_begin
    ud2
    .size limen_co_start, . - limen_co_start

    .section .note.GNU-stack, "", @progbits
