/* AArch64: a switch is a function call, so a context holds only the callee-saved registers. */
#ifndef LIMEN_COTHREAD_AARCH64_CONTEXT_H
#define LIMEN_COTHREAD_AARCH64_CONTEXT_H

typedef struct limen_co_context {
    /* x19 to x28, x29 (frame pointer), x30 (address to continue at). */
    uint64_t general[12];
    uint64_t stack_pointer;
    /* co_no_err: the result of the switch that continues here, loaded together with the stack pointer. */
    uint64_t result;
    /* d8 to d15. */
    uint64_t floating[8];
} limen_co_context_t;

#define LIMEN_CO_CONTINUES_AT 11

#include "../switch_by_call.h"

/* `stack` and `bytes` are aligned. */
LIMEN_CO_INLINE void limen_co_prepare(limen_co_context_t *context, uintptr_t stack, size_t bytes,
                                      void (*start)(void))
{
    *context = (limen_co_context_t) {
        .general = { 0 },
        .stack_pointer = stack + bytes,
        .result = co_no_err,
        .floating = { 0 },
    };
    context->general[LIMEN_CO_CONTINUES_AT] = (uintptr_t)start;
}

#endif /* LIMEN_COTHREAD_AARCH64_CONTEXT_H */
