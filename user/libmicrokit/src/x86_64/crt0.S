/* The entry point of a program. The kernel has set up the stack and loaded the program image. */

    .section .text.start, "ax"
    .global _start
    .type _start, @function
_start:
    xorl %ebp, %ebp
    call main
    ud2
    .size _start, . - _start

    .section .note.GNU-stack, "", @progbits
