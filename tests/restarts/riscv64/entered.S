/* Notes with which registers crt0 enters main. There are no flags. */

    .text
    .global __wrap_main
    .type __wrap_main, %function
__wrap_main:
    lla     t0, entered
    sd      s0, 0(t0)
    sd      ra, 8(t0)
    tail    __real_main
    .size __wrap_main, . - __wrap_main

    .section .note.GNU-stack, "", %progbits
