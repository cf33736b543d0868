/* AArch64: generated constants, and instructions that C cannot express. */
#ifndef LIMEN_AARCH64_H
#define LIMEN_AARCH64_H

#include <limen/abi_aarch64.h>

/* Reads the cycle counter into `count` after all earlier instructions complete. */
#define LIMEN_READ_COUNTER(count) __asm__ volatile ("isb\n\tmrs %0, pmccntr_el0" : "=r"(count) : : "memory")

/* True if the number and code of a user exception denote a use of the disabled floating-point unit: exception class 7. */
#define LIMEN_IS_FPU_OFF(number, code) ((void)(code), (number) >> 26 == 7)

/* The event loop copies the words of a message without a test, which would cost more than it saves. */
#define LIMEN_SKIPS_EMPTY_MESSAGES 0

#endif /* LIMEN_AARCH64_H */
