/* The entry point of a program. A restart changes only the program counter, so this sets the stack pointer. There is no caller: a walk of the stack ends here. */

    .section .text.start, "ax"
    .global _start
    .type _start, %function
    .cfi_sections .debug_frame
_start:
    .cfi_startproc
    .cfi_undefined ra
    /* Linkers may relax accesses to be relative to gp, but not those that set gp. */
    .option push
    .option norelax
    lla     gp, __global_pointer$
    .option pop
    lla     sp, limen_stack_top
    ld      sp, 0(sp)
    li      s0, 0
    li      ra, 0
    tail    main
    .cfi_endproc
    .size _start, . - _start

    .section .note.GNU-stack, "", %progbits
