/* With LIBCO_PATH: the functions that inline switches of programs call. Programs are compiled without knowing of it. */

#include "schedule.h"

#if defined(LIMEN_CO_USES_LIBCO) && LIMEN_CO_HAS_INLINE_WAITS

co_err_t limen_co_switch_to(limen_co_context_t *from, const limen_co_context_t *to)
{
    return limen_co_libco_switch(from, to);
}

#if LIMEN_CO_HAS_FPU
#define VARIANT(name) name##_all
#else
#define VARIANT(name) name##_no_fpu
#endif

void VARIANT(limen_co_leave_root)(limen_co_context_t *root, const limen_co_context_t *to)
{
    limen_co_libco_switch(root, to);
}

co_err_t VARIANT(limen_co_return_to_root)(limen_co_context_t *from, const limen_co_context_t *root)
{
    return limen_co_libco_switch(from, root);
}

#endif
