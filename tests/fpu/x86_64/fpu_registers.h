/* The floating-point unit of x86: the area of FXSAVE, and the upper halves of AVX registers where there are such. */
#ifndef TESTS_FPU_REGISTERS_H
#define TESTS_FPU_REGISTERS_H

#include <microkit.h>

#define STATE_WORDS 96

struct state {
    seL4_Word words[STATE_WORDS];
} __attribute__((aligned(16)));

/* What the fault of a use that is not allowed says: the vector "device not available". */
#define FPU_OFF_NUMBER 7ul
#define FPU_OFF_NUMBER_MASK (~0ul)
#define FPU_OFF_CODE 0
#define UNDEFINED_NUMBER 6ul

#endif /* TESTS_FPU_REGISTERS_H */
