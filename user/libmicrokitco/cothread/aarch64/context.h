/* AArch64: the registers that compilers may reserve, and those that a call preserves. */
#ifndef LIMEN_COTHREAD_AARCH64_CONTEXT_H
#define LIMEN_COTHREAD_AARCH64_CONTEXT_H

typedef struct limen_co_context {
    uint64_t continues_at;
    uint64_t stack_pointer;
    /* x29, the frame pointer, and x19, which some functions use as a second one. */
    uint64_t reserved[2];
    /* x20 to x28, x30; only limen_co_call saves these and the next. */
    uint64_t general[10];
    /* d8 to d15. */
    uint64_t floating[8];
} limen_co_context_t;

/* Has both words in registers before any branch, so that compilers load them with one instruction. */
#define LIMEN_CO_LOADED_TOGETHER(first, second) __asm__ ("" : "+r"(first), "+r"(second))

/* Not in code that is compiled without floating point. */
#if defined(__ARM_FP)
#define LIMEN_CO_FLOATING \
    , "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", \
        "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31"
#else
#define LIMEN_CO_FLOATING
#endif
#if defined(__ARM_FEATURE_SVE)
#define LIMEN_CO_VECTORS \
    , "p0", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8", "p9", "p10", "p11", "p12", "p13", "p14", "p15"
#else
#define LIMEN_CO_VECTORS
#endif

/* Calls a function that clobbers every register but the stack pointer and the reserved ones. */
#define LIMEN_CO_CALL_SWITCH(function, from, to)                                                                    \
    register limen_co_context_t *here __asm__("x0") = (from);                                                       \
    register const limen_co_context_t *there __asm__("x1") = (to);                                                  \
    __asm__ volatile ("bl " function                                                                                \
                      : "+r"(here), "+r"(there)                                                                     \
                      :                                                                                             \
                      : "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",   \
                        "x16", "x17", "x18", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30",  \
                        "cc", "memory" LIMEN_CO_FLOATING LIMEN_CO_VECTORS)

#include "../switch_by_call.h"

#endif /* LIMEN_COTHREAD_AARCH64_CONTEXT_H */
