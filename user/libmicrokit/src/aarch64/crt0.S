/* The entry point of a program. The kernel has set up the stack and loaded the program image. */

    .section .text.start, "ax"
    .global _start
    .type _start, %function
_start:
    b main
    .size _start, . - _start

    .section .note.GNU-stack, "", %progbits
