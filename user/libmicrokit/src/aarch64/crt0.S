/* Where a program starts. The stack is set up already, and memory is as the program image says. */

    .section .text.start, "ax"
    .global _start
    .type _start, %function
_start:
    b main
    .size _start, . - _start

    .section .note.GNU-stack, "", %progbits
