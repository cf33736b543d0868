/* Notes with which frame pointer crt0 enters main. The call is on the stack, and init reads the flags. */

    .text
    .global __wrap_main
    .type __wrap_main, @function
__wrap_main:
    movq    %rbp, entered(%rip)
    jmp     __real_main
    .size __wrap_main, . - __wrap_main

    .section .note.GNU-stack, "", @progbits
