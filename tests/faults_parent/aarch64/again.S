/* Instructions of the child that fault at known addresses, and where it starts again. */

    .text

/* Restarts on a separate stack, so that restarts do not use up the real one. */
    .global again
again:
    adrp x0, again_stack_end
    add x0, x0, :lo12:again_stack_end
    mov sp, x0
    bl init
    b park

    .global load_instruction
    .global load
load:
load_instruction:
    ldr x0, [x0]
    ret

    .global undefined_instruction
    .global undefined
undefined:
undefined_instruction:
    udf #0
    ret

    .global breakpoint_instruction
    .global breakpoint
breakpoint:
breakpoint_instruction:
    brk #0x123
    ret

/* The system call x0 with known registers; returns x0. */
    .global system_call_instruction
    .global system_call
system_call:
    mov x7, x0
    mov x0, #0x1000
    add x1, x0, #1
    add x2, x0, #2
    add x3, x0, #3
    add x4, x0, #4
    add x5, x0, #5
    add x6, x0, #6
system_call_instruction:
    svc #0
    ret

/* The capability x0 is called, or received from. */
    .global call_instruction
    .global call
call:
    mov x1, #0
    mov x7, #-1
call_instruction:
    svc #0
    mov x0, x1
    ret

    .global receive_instruction
    .global receive
receive:
    mov x6, #4
    mov x7, #-7
receive_instruction:
    svc #0
    ret

    .bss
    .balign 16
    .skip 4096
again_stack_end:

    .section .note.GNU-stack, "", %progbits
