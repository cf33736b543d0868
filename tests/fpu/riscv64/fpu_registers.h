/* The floating-point unit of RISC-V: 32 registers of 64 bits, control and status in one. */
#ifndef TESTS_FPU_REGISTERS_H
#define TESTS_FPU_REGISTERS_H

#include <microkit.h>

struct state {
    seL4_Word f[32];
    seL4_Word fcsr;
};

/* The fault of a forbidden use: an illegal instruction, marked as one of the unit. */
#define FPU_OFF_NUMBER 2ul
#define FPU_OFF_NUMBER_MASK (~0ul)
#define FPU_OFF_CODE LIMEN_RISCV_CODE_FPU_OFF
#define UNDEFINED_NUMBER 2ul

#endif /* TESTS_FPU_REGISTERS_H */
