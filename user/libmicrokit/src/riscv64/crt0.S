/* Where a program starts. The stack is set up already, and memory is as the program image says. */

    .section .text.start, "ax"
    .global _start
    .type _start, %function
_start:
    /* Linkers may address small data relative to gp; the instructions that set it must not be among them. */
    .option push
    .option norelax
    lla     gp, __global_pointer$
    .option pop
    tail    main
    .size _start, . - _start

    .section .note.GNU-stack, "", %progbits
