/* The number type of a build: floating point or integer. */
#ifndef BENCH_FPU_NUMBER_H
#define BENCH_FPU_NUMBER_H

#include "samples.h"

typedef NUMBER number_t;

/* The parameter of the rows with this type. */
#define ROW_BUILD ROW_PARAMETER("build", BUILD)

/* True for floating-point numbers, which can represent one half. */
#define BUILD_HAS_FP ((number_t)1 / 2 != 0)

/* A load, an addition and a store. */
static inline void compute(volatile number_t *number)
{
    *number += 1;
}

#endif /* BENCH_FPU_NUMBER_H */
