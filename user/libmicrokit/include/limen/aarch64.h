/* AArch64: its generated numbers, and the instructions that have no name in C. */
#ifndef LIMEN_AARCH64_H
#define LIMEN_AARCH64_H

#include <limen/abi_aarch64.h>

/* Reads the cycle counter into operand 0, after everything before it is done. */
#define LIMEN_READ_COUNTER "isb\n\tmrs %0, pmccntr_el0"

#endif /* LIMEN_AARCH64_H */
