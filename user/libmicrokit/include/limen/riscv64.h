/* RISC-V: generated constants, and instructions that C cannot express. */
#ifndef LIMEN_RISCV64_H
#define LIMEN_RISCV64_H

#include <limen/abi_riscv64.h>

/* Reads the cycle counter into `count`. */
#define LIMEN_READ_COUNTER(count) __asm__ volatile ("rdcycle %0" : "=r"(count) : : "memory")

/* True if the number and code of a user exception denote a use of the disabled floating-point unit. */
#define LIMEN_IS_FPU_OFF(number, code) ((number) == 2 && (code) == LIMEN_RISCV_CODE_FPU_OFF)

/* The event loop tests for an empty message before it accesses the buffer, because many of these processors have no
 * address-space identifiers: each page that a program touches is a walk of the page tables after each switch to it. */
#define LIMEN_SKIPS_EMPTY_MESSAGES 1

#endif /* LIMEN_RISCV64_H */
