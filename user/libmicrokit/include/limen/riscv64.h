/* RISC-V: its generated numbers, and the instructions that have no name in C. */
#ifndef LIMEN_RISCV64_H
#define LIMEN_RISCV64_H

#include <limen/abi_riscv64.h>

/* Reads the cycle counter into `count`. */
#define LIMEN_READ_COUNTER(count) __asm__ volatile ("rdcycle %0" : "=r"(count) : : "memory")

/* Whether number and code of a user exception are those of a use of the floating-point unit while it is off. */
#define LIMEN_IS_FPU_OFF(number, code) ((number) == 2 && (code) == LIMEN_RISCV_CODE_FPU_OFF)

#endif /* LIMEN_RISCV64_H */
