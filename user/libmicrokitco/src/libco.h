/* Switches by the primitives of another library, which the program chooses with LIBCO_PATH: co_active, co_derive and
 * co_switch of its libco.h. A context then holds that library's handle in its first word. */
#ifndef LIMEN_COTHREAD_LIBCO_H
#define LIMEN_COTHREAD_LIBCO_H

#include <libco.h>

LIMEN_CO_INLINE co_err_t limen_co_libco_switch(limen_co_context_t *from, const limen_co_context_t *to)
{
    cothread_t here = co_active();
    cothread_t there;
    __builtin_memcpy(from, &here, sizeof(here));
    __builtin_memcpy(&there, to, sizeof(there));
    co_switch(there);
    return co_no_err;
}

/* The lowest words stay the library's own: the sentinel is there. */
LIMEN_CO_INLINE void limen_co_libco_prepare(limen_co_context_t *context, uintptr_t stack, size_t bytes)
{
    void *memory = (void *)(stack + LIMEN_CO_ALIGNMENT);
    cothread_t handle = co_derive(memory, (unsigned int)(bytes - LIMEN_CO_ALIGNMENT), limen_co_begin);
    __builtin_memcpy(context, &handle, sizeof(handle));
}

#define limen_co_switch limen_co_libco_switch
#define limen_co_prepare(context, stack, bytes, start) limen_co_libco_prepare(context, stack, bytes)

#endif /* LIMEN_COTHREAD_LIBCO_H */
