/* The entry point of a program. A restart changes only the program counter, so this sets the stack pointer and the
 * flags. There is no caller: a walk of the stack ends here. */

    .section .text.start, "ax"
    .global _start
    .type _start, %function
    .cfi_sections .debug_frame
_start:
    .cfi_startproc
    .cfi_undefined x30
    adrp    x0, limen_stack_top
    ldr     x0, [x0, :lo12:limen_stack_top]
    mov     sp, x0
    msr     nzcv, xzr
    mov     x29, xzr
    mov     x30, xzr
    b       main
    .cfi_endproc
    .size _start, . - _start

    .section .note.GNU-stack, "", %progbits
