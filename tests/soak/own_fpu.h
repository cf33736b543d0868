/* A program's own floating-point registers: it checks the values that it wrote last, and writes others. */
#ifndef SOAK_OWN_FPU_H
#define SOAK_OWN_FPU_H

#include "state.h"

static struct state written;
static struct state found;

static inline void fpu_write(void)
{
    state_fill(&written);
    state_write(&written);
}

/* Whether a register has another value than the program has written. */
static inline seL4_Word fpu_differs(void)
{
    state_read(&found);
    return !state_equal(&written, &found);
}

#endif /* SOAK_OWN_FPU_H */
