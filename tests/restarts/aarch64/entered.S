/* Notes with which registers crt0 enters main. */

    .text
    .global __wrap_main
    .type __wrap_main, %function
__wrap_main:
    adrp    x0, entered
    add     x0, x0, :lo12:entered
    mrs     x1, nzcv
    stp     x29, x30, [x0]
    str     x1, [x0, #16]
    b       __real_main
    .size __wrap_main, . - __wrap_main

    .section .note.GNU-stack, "", %progbits
