/* Selects the context switch of the target architecture.
 *
 * Each architecture defines
 *
 *   limen_co_context_t      the saved registers of a thread that is not running
 *   limen_co_prepare        makes a context that starts at a function, which must not return, on a stack
 *   limen_co_switch         saves one context, restores another, and returns co_no_err when a thread switches back
 *   limen_co_call           the same as a function call, for functions that switch once
 *   limen_co_leave_root     limen_co_call for the root, whose context is from limen_co_prepare_root and left by nothing else
 *   limen_co_return_to_root limen_co_switch to the root
 *   LIMEN_CO_HAS_INLINE_WAITS   1 if waits are shorter inline
 *
 * Programs may use the functions without the rest of the library. */
#ifndef LIMEN_COTHREAD_CONTEXT_H
#define LIMEN_COTHREAD_CONTEXT_H

#include <stddef.h>
#include <stdint.h>
#include "errors.h"

#define LIMEN_CO_INLINE static inline __attribute__((always_inline))

#if defined(__aarch64__)
#include "aarch64/context.h"
#elif defined(__riscv) && __riscv_xlen == 64
#include "riscv64/context.h"
#elif defined(__x86_64__)
#include "x86_64/context.h"
#else
#error "cothreads are not supported on this architecture"
#endif

#ifdef __cplusplus
extern "C" {
#endif
/* The assembly entry point of a cothread, and the function that it calls on the cothread's stack. Neither returns. */
void limen_co_start(void);
void limen_co_begin(void);
#ifdef __cplusplus
}
#endif

#endif /* LIMEN_COTHREAD_CONTEXT_H */
