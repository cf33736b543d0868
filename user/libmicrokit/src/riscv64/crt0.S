/* The entry point of a program. The kernel has set up the stack and loaded the program image. */

    .section .text.start, "ax"
    .global _start
    .type _start, %function
_start:
    /* Linkers may relax accesses to be relative to gp, but not those that set gp. */
    .option push
    .option norelax
    lla     gp, __global_pointer$
    .option pop
    tail    main
    .size _start, . - _start

    .section .note.GNU-stack, "", %progbits
