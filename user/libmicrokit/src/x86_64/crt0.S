/* The entry point of a program. A restart changes only the program counter, so this sets the stack pointer and the
 * flags. There is no caller: a walk of the stack ends here. */

    .section .text.start, "ax"
    .global _start
    .type _start, @function
    .cfi_sections .debug_frame
_start:
    .cfi_startproc
    .cfi_undefined rip
    movq    limen_stack_top(%rip), %rsp
    /* Among the flags are the direction of string instructions and the check of alignment. */
    pushq   $2
    popfq
    xorl    %ebp, %ebp
    call    main
    ud2
    .cfi_endproc
    .size _start, . - _start

    .section .note.GNU-stack, "", @progbits
