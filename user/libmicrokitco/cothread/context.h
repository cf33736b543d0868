/* Selects the context switch of the target architecture.
 *
 * Each architecture defines
 *
 *   limen_co_context_t      the saved registers of a thread that is not running
 *   limen_co_prepare        makes a context that starts at a function, which must not return, on a stack
 *   limen_co_switch         saves one context, restores another, and returns co_no_err when a thread switches back
 *
 * Programs may use these three without the rest of the library. A context must be zero if the first switch saves to it
 * before limen_co_prepare. */
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
