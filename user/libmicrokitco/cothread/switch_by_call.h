/* Switches for instruction sets with many registers that a call preserves. There are two kinds:
 *
 *   limen_co_switch    inline; the compiler saves the live registers, in a loop usually few
 *   limen_co_call      a function, which saves all that a call preserves
 *
 * Each context says by its address to continue at how it was left, so that either kind continues any context. The root is
 * always left by a function, so its address to continue at never changes. */
#ifndef LIMEN_COTHREAD_SWITCH_BY_CALL_H
#define LIMEN_COTHREAD_SWITCH_BY_CALL_H

#define LIMEN_CO_HAS_INLINE_WAITS 1

#if LIMEN_CO_OWN_ROUNDING
#error "LIBMICROKITCO_OWN_ROUNDING is for x86_64; here all threads share the rounding mode"
#endif

#ifdef __cplusplus
extern "C" {
#endif
co_err_t limen_co_call_all(limen_co_context_t *from, const limen_co_context_t *to);
co_err_t limen_co_call_no_fpu(limen_co_context_t *from, const limen_co_context_t *to);
void limen_co_leave_root_all(limen_co_context_t *root, const limen_co_context_t *to);
void limen_co_leave_root_no_fpu(limen_co_context_t *root, const limen_co_context_t *to);
/* The addresses at which these two continue; not functions. */
void limen_co_root_continues_all(void);
void limen_co_root_continues_no_fpu(void);
#ifdef __cplusplus
}
#endif

#if LIMEN_CO_HAS_FPU
#define LIMEN_CO_RETURN "limen_co_return_to_root_all"
#else
#define LIMEN_CO_RETURN "limen_co_return_to_root_no_fpu"
#endif

LIMEN_CO_INLINE co_err_t limen_co_switch(limen_co_context_t *from, const limen_co_context_t *to)
{
    LIMEN_CO_CALL_SWITCH("limen_co_switch_to", from, to);
    return co_no_err;
}

LIMEN_CO_INLINE co_err_t limen_co_call(limen_co_context_t *from, const limen_co_context_t *to)
{
    return LIMEN_CO_HAS_FPU ? limen_co_call_all(from, to) : limen_co_call_no_fpu(from, to);
}

LIMEN_CO_INLINE void limen_co_prepare_root(limen_co_context_t *root)
{
    root->continues_at = (uintptr_t)(LIMEN_CO_HAS_FPU ? limen_co_root_continues_all : limen_co_root_continues_no_fpu);
}

LIMEN_CO_INLINE void limen_co_leave_root(limen_co_context_t *root, const limen_co_context_t *to)
{
    if (LIMEN_CO_HAS_FPU) {
        limen_co_leave_root_all(root, to);
    } else {
        limen_co_leave_root_no_fpu(root, to);
    }
}

LIMEN_CO_INLINE co_err_t limen_co_return_to_root(limen_co_context_t *from, const limen_co_context_t *root)
{
    LIMEN_CO_CALL_SWITCH(LIMEN_CO_RETURN, from, root);
    return co_no_err;
}

/* `stack` and `bytes` are aligned. */
LIMEN_CO_INLINE void limen_co_prepare(limen_co_context_t *context, uintptr_t stack, size_t bytes,
                                      void (*start)(void))
{
    context->continues_at = (uintptr_t)start;
    context->stack_pointer = stack + bytes;
    /* Stack unwinding ends here. */
    context->reserved[0] = 0;
}

#endif /* LIMEN_COTHREAD_SWITCH_BY_CALL_H */
