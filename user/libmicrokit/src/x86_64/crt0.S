/* Where a program starts. The stack is set up already, and memory is as the program image says. */

    .section .text.start, "ax"
    .global _start
    .type _start, @function
_start:
    xorl %ebp, %ebp
    call main
    ud2
    .size _start, . - _start

    .section .note.GNU-stack, "", @progbits
