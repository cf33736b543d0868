/* rbp, rbx and r12 to r15 are on the stack of a cothread that does not run, below the address where it continues; above
 * it is a word that keeps the stack aligned as a call would. */

#define FRAME_WORDS 8
#define RETURN_ADDRESS 6

__asm__(".text\n"
        ".global libco_exchange\n"
        "libco_exchange:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n");
