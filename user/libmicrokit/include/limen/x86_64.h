/* 64-bit x86: its generated numbers, and the instructions that have no name in C. */
#ifndef LIMEN_X86_64_H
#define LIMEN_X86_64_H

#include <limen/abi_x86_64.h>

/* Reads the time-stamp counter into `count`, after everything before it is done. */
#define LIMEN_READ_COUNTER(count) \
    __asm__ volatile ("lfence\n\trdtsc\n\tshlq $32, %%rdx\n\torq %%rdx, %0" : "=a"(count) : : "rdx", "memory")

/* Whether number and code of a user exception are those of a use of the floating-point unit while it is off. */
#define LIMEN_IS_FPU_OFF(number, code) ((void)(code), (number) == 7)

#endif /* LIMEN_X86_64_H */
