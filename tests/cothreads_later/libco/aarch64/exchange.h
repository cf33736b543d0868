/* x19 to x30 are on the stack of a cothread that does not run. */

#define FRAME_WORDS 12
#define RETURN_ADDRESS 11

__asm__(".text\n"
        ".global libco_exchange\n"
        "libco_exchange:\n"
        "    sub sp, sp, #96\n"
        "    stp x19, x20, [sp]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    add sp, sp, #96\n"
        "    ret\n");
