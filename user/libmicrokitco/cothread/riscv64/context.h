/* RISC-V: the registers that compilers may reserve, and those that a call preserves. */
#ifndef LIMEN_COTHREAD_RISCV64_CONTEXT_H
#define LIMEN_COTHREAD_RISCV64_CONTEXT_H

typedef struct limen_co_context {
    uint64_t continues_at;
    uint64_t stack_pointer;
    /* s0, the frame pointer, and s1, which some functions use as a second one. */
    uint64_t reserved[2];
    /* ra, s2 to s11; only limen_co_call saves these and the next. */
    uint64_t general[11];
#if defined(__riscv_float_abi_double)
    /* fs0 to fs11. With the soft-float calling convention, calls preserve none of them. */
    uint64_t floating[12];
#endif
} limen_co_context_t;

#if defined(__riscv_flen)
#define LIMEN_CO_FLOATING \
    , "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "ft8", "ft9", "ft10", "ft11", "fs0", "fs1", "fs2", "fs3", \
        "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "fa0", "fa1", "fa2", "fa3", "fa4", "fa5", "fa6", "fa7"
#else
#define LIMEN_CO_FLOATING
#endif
#if defined(__riscv_vector)
#define LIMEN_CO_VECTORS \
    , "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", \
        "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", \
        "vl", "vtype"
#else
#define LIMEN_CO_VECTORS
#endif

/* Calls a function that clobbers every register but the stack pointer and the reserved ones. */
#define LIMEN_CO_CALL_SWITCH(function, from, to)                                                                    \
    register limen_co_context_t *here __asm__("a0") = (from);                                                       \
    register const limen_co_context_t *there __asm__("a1") = (to);                                                  \
    __asm__ volatile ("call " function                                                                              \
                      : "+r"(here), "+r"(there)                                                                     \
                      :                                                                                             \
                      : "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a2", "a3", "a4", "a5", "a6", "a7", "s2",   \
                        "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "memory" LIMEN_CO_FLOATING          \
                            LIMEN_CO_VECTORS)

#include "../switch_by_call.h"

#endif /* LIMEN_COTHREAD_RISCV64_CONTEXT_H */
