/* RISC-V: a switch is a function call, so the registers that calls preserve are all that a context holds. Programs
 * that pass floating-point numbers in integer registers preserve no other ones. */
#ifndef LIMEN_COTHREAD_RISCV64_CONTEXT_H
#define LIMEN_COTHREAD_RISCV64_CONTEXT_H

typedef struct limen_co_context {
    /* ra: where it continues. */
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
    /* The frame pointer: a walk through the frames ends here. */
    context->saved[0] = 0;
}

#endif /* LIMEN_COTHREAD_RISCV64_CONTEXT_H */
