/* The floating-point unit of x86: the FXSAVE area, and the upper halves of AVX registers if present. */
#ifndef TESTS_FPU_REGISTERS_H
#define TESTS_FPU_REGISTERS_H

#include <microkit.h>

#define STATE_WORDS 96

struct state {
    seL4_Word words[STATE_WORDS];
} __attribute__((aligned(16)));

/* The fault of a forbidden use: the vector "device not available". */
#define FPU_OFF_NUMBER 7ul
#define FPU_OFF_NUMBER_MASK (~0ul)
#define FPU_OFF_CODE 0
#define UNDEFINED_NUMBER 6ul

#endif /* TESTS_FPU_REGISTERS_H */
