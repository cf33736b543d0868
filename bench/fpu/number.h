/* What a program computes with: floating-point numbers or integers, as the build has it. */
#ifndef BENCH_FPU_NUMBER_H
#define BENCH_FPU_NUMBER_H

#include "samples.h"

typedef NUMBER number_t;

/* The parameter of rows that says so. */
#define ROW_BUILD ROW_PARAMETER("build", BUILD)

/* Whether they are floating-point numbers: those have a half. */
#define BUILD_HAS_FP ((number_t)1 / 2 != 0)

/* A load, an addition and a store. */
static inline void compute(volatile number_t *number)
{
    *number += 1;
}

#endif /* BENCH_FPU_NUMBER_H */
