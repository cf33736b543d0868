/* Switches with the primitives of another library, which LIBCO_PATH selects: co_active, co_derive and co_switch of its
 * libco.h. The first word of a context is then that library's handle. */
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

/* The lowest words stay reserved for this library's sentinel. */
LIMEN_CO_INLINE void limen_co_libco_prepare(limen_co_context_t *context, uintptr_t stack, size_t bytes)
{
    void *memory = (void *)(stack + LIMEN_CO_ALIGNMENT);
    cothread_t handle = co_derive(memory, (unsigned int)(bytes - LIMEN_CO_ALIGNMENT), limen_co_begin);
    __builtin_memcpy(context, &handle, sizeof(handle));
}

#undef limen_co_call
#undef limen_co_leave_root
#undef limen_co_prepare_root
#define limen_co_prepare_root(root) ((void)(root))
#define limen_co_leave_root(root, to) ((void)limen_co_libco_switch((root), (to)))
#define limen_co_call limen_co_libco_switch
#define limen_co_switch limen_co_libco_switch
#define limen_co_prepare(context, stack, bytes, start) limen_co_libco_prepare(context, stack, bytes)

#endif /* LIMEN_COTHREAD_LIBCO_H */
