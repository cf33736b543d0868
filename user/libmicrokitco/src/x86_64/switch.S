/* Leaves one context (rdi) for another (rsi): limen_co_context_t in cothread/x86_64/context.h. Callers jump here; rax
 * is the address where the old context continues. */

    .text

    .global limen_co_switch_rounding
    .type limen_co_switch_rounding, @function
limen_co_switch_rounding:
    stmxcsr 24(%rdi)
    fnstcw  28(%rdi)
    ldmxcsr 24(%rsi)
    fldcw   28(%rsi)
    /* Falls through. */
    .size limen_co_switch_rounding, . - limen_co_switch_rounding

    .global limen_co_switch_registers
    .type limen_co_switch_registers, @function
limen_co_switch_registers:
    movq    %rsp, 0(%rdi)
    movq    %rax, 8(%rdi)
    movq    %rbp, 16(%rdi)
    movq    0(%rsi), %rsp
    movq    16(%rsi), %rbp
    jmp     *8(%rsi)
    .size limen_co_switch_registers, . - limen_co_switch_registers

    .global limen_co_start
    .type limen_co_start, @function
limen_co_start:
    subq    $8, %rsp
    call    limen_co_begin
    ud2
    .size limen_co_start, . - limen_co_start

    .section .note.GNU-stack, "", @progbits
