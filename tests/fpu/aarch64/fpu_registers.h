/* The floating-point unit of AArch64: 32 registers of 128 bits, control and status. */
#ifndef TESTS_FPU_REGISTERS_H
#define TESTS_FPU_REGISTERS_H

#include <microkit.h>

struct state {
    seL4_Word q[64];
    seL4_Word fpcr;
    seL4_Word fpsr;
} __attribute__((aligned(16)));

/* The syndrome of a forbidden use: an exception class, and an instruction length of four bytes. Condition bits follow.
 * Source: Arm ARM (DDI 0487), ESR_EL1. */
#define FPU_OFF_NUMBER 0x1e000000ul
#define FPU_OFF_NUMBER_MASK 0xfe000000ul
#define FPU_OFF_CODE 0
#define UNDEFINED_NUMBER 0x02000000ul

#endif /* TESTS_FPU_REGISTERS_H */
