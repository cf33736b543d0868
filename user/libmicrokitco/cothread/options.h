/* The program's options in libmicrokitco_opts.h, and checks of their values.
 *
 *   LIBMICROKITCO_MAX_COTHREADS          number of cothreads; includes the root only with interface 2
 *   LIBMICROKITCO_API                    1: error codes, mark_ready, block, join (default)
 *                                        2: the later interface, without error codes and with semaphores
 *                                           (default in the folder `later`)
 *   LIBMICROKITCO_PREEMPTIVE_UNBLOCK     keep a notification without a waiter, at most one per channel
 *   LIBMICROKITCO_KEPT_NOTIFICATIONS     keep up to this many per channel instead, 1 to 255
 *   LIBMICROKITCO_RECV_NTFN_NO_FASTPATH  enqueue even a single woken cothread behind the ready ones
 *   LIBMICROKITCO_OWN_WORDS              each thread has this many message words of its own, 1 to 120, and a switch sends
 *                                        the deferred signal of the thread that it leaves
 *   LIBMICROKITCO_NO_FPU                 cothreads use no floating-point or vector registers; switches do not save them
 *   LIBMICROKITCO_OWN_ROUNDING           x86_64: each thread has its own rounding modes and exception masks
 *   LIBMICROKITCO_UNSAFE                 leave out most checks of calls and all of stacks; a call that would return one
 *                                        of these errors is undefined behaviour
 *
 * Interface 2 always keeps notifications and always takes the fast path. */
#ifndef LIMEN_COTHREAD_OPTIONS_H
#define LIMEN_COTHREAD_OPTIONS_H

#include <libmicrokitco_opts.h>

#if !defined(LIBMICROKITCO_MAX_COTHREADS)
#error "libmicrokitco_opts.h must define LIBMICROKITCO_MAX_COTHREADS, the number of cothreads"
#endif

/* later/libmicrokitco.h sets another default. */
#if !defined(LIMEN_CO_DEFAULT_API)
#define LIMEN_CO_DEFAULT_API 1
#endif
#if !defined(LIBMICROKITCO_API)
#define LIBMICROKITCO_API LIMEN_CO_DEFAULT_API
#endif

#if LIBMICROKITCO_API == 1
#if LIBMICROKITCO_MAX_COTHREADS < 1
#error "LIBMICROKITCO_MAX_COTHREADS must be at least 1"
#endif
#define LIMEN_CO_COTHREADS (LIBMICROKITCO_MAX_COTHREADS)
#elif LIBMICROKITCO_API == 2
#if LIBMICROKITCO_MAX_COTHREADS < 2
#error "LIBMICROKITCO_MAX_COTHREADS must be at least 2: with LIBMICROKITCO_API 2 it counts the root as well"
#endif
#define LIMEN_CO_COTHREADS ((LIBMICROKITCO_MAX_COTHREADS) - 1)
#else
#error "LIBMICROKITCO_API must be 1 or 2"
#endif

/* The options as values, so that code tests them with `if` and both branches are compiled. */
#if defined(LIBMICROKITCO_KEPT_NOTIFICATIONS)
#if LIBMICROKITCO_KEPT_NOTIFICATIONS < 1 || LIBMICROKITCO_KEPT_NOTIFICATIONS > 255
#error "LIBMICROKITCO_KEPT_NOTIFICATIONS must be 1 to 255: notifications without a waiter to keep per channel"
#endif
#define LIMEN_CO_MOST_KEPT (LIBMICROKITCO_KEPT_NOTIFICATIONS)
#else
#define LIMEN_CO_MOST_KEPT 1
#endif

#if defined(LIBMICROKITCO_PREEMPTIVE_UNBLOCK) || defined(LIBMICROKITCO_KEPT_NOTIFICATIONS) || LIBMICROKITCO_API == 2
#define LIMEN_CO_KEEPS_NOTIFICATIONS 1
#else
#define LIMEN_CO_KEEPS_NOTIFICATIONS 0
#endif

#if defined(LIBMICROKITCO_RECV_NTFN_NO_FASTPATH) && LIBMICROKITCO_API == 1
#define LIMEN_CO_HAS_FAST_PATH 0
#else
#define LIMEN_CO_HAS_FAST_PATH 1
#endif

/* 0 if all threads share the message words and the deferred signal. */
#if defined(LIBMICROKITCO_OWN_WORDS)
#if LIBMICROKITCO_OWN_WORDS < 1 || LIBMICROKITCO_OWN_WORDS > 120
#error "LIBMICROKITCO_OWN_WORDS must be 1 to 120: the message words that switches save"
#endif
#define LIMEN_CO_OWN_WORDS (LIBMICROKITCO_OWN_WORDS)
#else
#define LIMEN_CO_OWN_WORDS 0
#endif

#if defined(LIBMICROKITCO_UNSAFE)
#define LIMEN_CO_CHECKS 0
#else
#define LIMEN_CO_CHECKS 1
#endif

#if defined(LIBMICROKITCO_NO_FPU)
#define LIMEN_CO_HAS_FPU 0
#else
#define LIMEN_CO_HAS_FPU 1
#endif

#if defined(LIBMICROKITCO_OWN_ROUNDING)
#if !LIMEN_CO_HAS_FPU
#error "LIBMICROKITCO_OWN_ROUNDING needs floating point; remove LIBMICROKITCO_NO_FPU"
#endif
#define LIMEN_CO_OWN_ROUNDING 1
#else
#define LIMEN_CO_OWN_ROUNDING 0
#endif

#endif /* LIMEN_COTHREAD_OPTIONS_H */
