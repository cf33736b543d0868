/* Selects how threads are switched on the processor that the program is compiled for.
 *
 * Each architecture gives
 *
 *   limen_co_context_t      the registers of a thread that does not run
 *   limen_co_prepare        makes a context that starts at a function, which must not return, on a stack
 *   limen_co_switch         leaves one context, continues another, and returns co_no_err once somebody switches back
 *
 * Programs may use these three by themselves, without the rest of the library. A context that is switched away from
 * before it was prepared must be zero. */
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
#error "cothreads cannot be switched on this processor"
#endif

#ifdef __cplusplus
extern "C" {
#endif
/* Where the assembly begins a cothread, and what it calls on the cothread's stack. Neither returns. */
void limen_co_start(void);
void limen_co_begin(void);
#ifdef __cplusplus
}
#endif

#endif /* LIMEN_COTHREAD_CONTEXT_H */
