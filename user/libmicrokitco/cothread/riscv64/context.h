/* RISC-V: a switch is a function call, so a context holds only the callee-saved registers. In programs with the soft-float
 * calling convention, no floating-point register is callee-saved. */
#ifndef LIMEN_COTHREAD_RISCV64_CONTEXT_H
#define LIMEN_COTHREAD_RISCV64_CONTEXT_H

typedef struct limen_co_context {
    /* ra: address to continue at. */
    uint64_t return_address;
    uint64_t stack_pointer;
    /* s0 to s11. */
    uint64_t saved[12];
#if defined(__riscv_float_abi_double)
    /* fs0 to fs11. */
    uint64_t floating[12];
#endif
} limen_co_context_t;

#include "../switch_by_call.h"

/* `stack` and `bytes` are aligned. */
LIMEN_CO_INLINE void limen_co_prepare(limen_co_context_t *context, uintptr_t stack, size_t bytes,
                                      void (*start)(void))
{
    context->return_address = (uintptr_t)start;
    context->stack_pointer = stack + bytes;
    /* The frame pointer: stack unwinding ends here. */
    context->saved[0] = 0;
}

#endif /* LIMEN_COTHREAD_RISCV64_CONTEXT_H */
