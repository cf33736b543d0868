/* 64-bit x86: a switch is inline assembly that jumps and clobbers every register but two. The compiler saves the live
 * registers, usually few; the context holds the other two. The switch has no call and no return, so that the return
 * predictor stays in step.
 *
 * All vector registers are caller-saved, so floating point adds at most the control words to a switch. */
#ifndef LIMEN_COTHREAD_X86_64_CONTEXT_H
#define LIMEN_COTHREAD_X86_64_CONTEXT_H

typedef struct limen_co_context {
    uint64_t stack_pointer;
    uint64_t continues_at;
    uint64_t frame_pointer;
    /* With LIBMICROKITCO_OWN_ROUNDING. */
    uint32_t mxcsr;
    uint16_t x87_control;
} limen_co_context_t;

/* The initial values of a process: every exception masked, round to nearest, x87 with full precision. */
#define LIMEN_CO_MXCSR 0x1f80
#define LIMEN_CO_X87_CONTROL 0x037f

/* Storing and loading mxcsr takes as long as the rest of the switch, so threads share it unless the program wants its own
 * for each. */
#if LIMEN_CO_OWN_ROUNDING
#define LIMEN_CO_SWITCH "limen_co_switch_rounding"
#else
#define LIMEN_CO_SWITCH "limen_co_switch_registers"
#endif

/* Registers that exist only with some compiler options. */
#if defined(__SSE__)
#define LIMEN_CO_VECTORS \
    , "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", \
        "xmm13", "xmm14", "xmm15", "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)", "st(7)"
#else
#define LIMEN_CO_VECTORS
#endif
#if defined(__AVX512F__)
#define LIMEN_CO_MORE_VECTORS \
    , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", \
        "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define LIMEN_CO_MORE_VECTORS
#endif

LIMEN_CO_INLINE co_err_t limen_co_switch(limen_co_context_t *from, const limen_co_context_t *to)
{
    __asm__ volatile ("leaq 1f(%%rip), %%rax\n\t"
                      "jmp " LIMEN_CO_SWITCH "\n"
                      "1:"
                      : "+D"(from), "+S"(to)
                      :
                      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "cc",
                        "memory" LIMEN_CO_VECTORS LIMEN_CO_MORE_VECTORS);
    return co_no_err;
}

/* A function that saves few registers anyway. */
#define limen_co_call limen_co_switch
#define limen_co_prepare_root(root) ((void)(root))
#define limen_co_leave_root(root, to) ((void)limen_co_switch((root), (to)))
#define limen_co_return_to_root limen_co_switch

/* Tests compile waits inline here too. */
#if !defined(LIMEN_CO_HAS_INLINE_WAITS)
#define LIMEN_CO_HAS_INLINE_WAITS 0
#endif

/* `stack` and `bytes` are aligned. */
LIMEN_CO_INLINE void limen_co_prepare(limen_co_context_t *context, uintptr_t stack, size_t bytes,
                                      void (*start)(void))
{
    /* Functions expect a return address on the stack; this one ends stack unwinding. */
    uintptr_t *return_address = (uintptr_t *)(stack + bytes) - 1;
    *return_address = 0;
    *context = (limen_co_context_t) {
        .stack_pointer = (uintptr_t)return_address,
        .continues_at = (uintptr_t)start,
        .frame_pointer = 0,
        .mxcsr = LIMEN_CO_MXCSR,
        .x87_control = LIMEN_CO_X87_CONTROL,
    };
}

#endif /* LIMEN_COTHREAD_X86_64_CONTEXT_H */
