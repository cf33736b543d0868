/* AArch64: its generated numbers, and the instructions that have no name in C. */
#ifndef LIMEN_AARCH64_H
#define LIMEN_AARCH64_H

#include <limen/abi_aarch64.h>

/* Reads the cycle counter into `count`, after everything before it is done. */
#define LIMEN_READ_COUNTER(count) __asm__ volatile ("isb\n\tmrs %0, pmccntr_el0" : "=r"(count) : : "memory")

/* Whether number and code of a user exception are those of a use of the floating-point unit while it is off: exception
 * class 7. */
#define LIMEN_IS_FPU_OFF(number, code) ((void)(code), (number) >> 26 == 7)

#endif /* LIMEN_AARCH64_H */
