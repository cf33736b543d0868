/* A switch by function call, for instruction sets whose calling convention preserves most registers. */
#ifndef LIMEN_COTHREAD_SWITCH_BY_CALL_H
#define LIMEN_COTHREAD_SWITCH_BY_CALL_H

#ifdef __cplusplus
extern "C" {
#endif
co_err_t limen_co_switch_all(limen_co_context_t *from, const limen_co_context_t *to);
co_err_t limen_co_switch_no_fpu(limen_co_context_t *from, const limen_co_context_t *to);
#ifdef __cplusplus
}
#endif

LIMEN_CO_INLINE co_err_t limen_co_switch(limen_co_context_t *from, const limen_co_context_t *to)
{
    return LIMEN_CO_HAS_FPU ? limen_co_switch_all(from, to) : limen_co_switch_no_fpu(from, to);
}

#endif /* LIMEN_COTHREAD_SWITCH_BY_CALL_H */
