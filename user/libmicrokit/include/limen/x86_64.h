/* 64-bit x86: generated constants, and instructions that C cannot express. */
#ifndef LIMEN_X86_64_H
#define LIMEN_X86_64_H

#include <limen/abi_x86_64.h>

/* Reads the time-stamp counter into `count` after all earlier instructions complete. */
#define LIMEN_READ_COUNTER(count) \
    __asm__ volatile ("lfence\n\trdtsc\n\tshlq $32, %%rdx\n\torq %%rdx, %0" : "=a"(count) : : "rdx", "memory")

/* True if the number and code of a user exception denote a use of the disabled floating-point unit. */
#define LIMEN_IS_FPU_OFF(number, code) ((void)(code), (number) == 7)

/* The event loop copies the words of a message without a test, which would cost more than it saves. */
#define LIMEN_SKIPS_EMPTY_MESSAGES 0

#endif /* LIMEN_X86_64_H */
