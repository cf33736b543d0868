/* Instructions of the child that fault at known addresses, and where it starts again. Those that a handler skips take
 * four bytes. */

    .option norvc
    .text

/* Restarts on a separate stack, so that restarts do not use up the real one. */
    .global again
again:
    lla sp, again_stack_end
    .option push
    .option norelax
    lla gp, __global_pointer$
    .option pop
    call init
    tail park

    .global load_instruction
    .global load
load:
load_instruction:
    ld a0, 0(a0)
    ret

    .global undefined_instruction
    .global undefined
undefined:
undefined_instruction:
    unimp
    ret

    .global breakpoint_instruction
    .global breakpoint
breakpoint:
breakpoint_instruction:
    ebreak
    ret

/* The system call a0 with known registers; returns a0. */
    .global system_call_instruction
    .global system_call
system_call:
    mv a7, a0
    li a0, 0x1000
    addi a1, a0, 1
    addi a2, a0, 2
    addi a3, a0, 3
    addi a4, a0, 4
    addi a5, a0, 5
    addi a6, a0, 6
system_call_instruction:
    ecall
    ret

/* The capability a0 is called, or received from. */
    .global call_instruction
    .global call
call:
    li a1, 0
    li a7, -1
call_instruction:
    ecall
    mv a0, a1
    ret

    .global receive_instruction
    .global receive
receive:
    li a6, 4
    li a7, -7
receive_instruction:
    ecall
    ret

    .bss
    .balign 16
    .skip 4096
again_stack_end:

    .section .note.GNU-stack, "", %progbits
