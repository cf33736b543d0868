/* The contents of fault messages on AArch64. */
#ifndef TESTS_FAULTS_PARENT_EXCEPTIONS_H
#define TESTS_FAULTS_PARENT_EXCEPTIONS_H

#include "test.h"

/* Exception classes of ESR_EL1. Source: ARM DDI 0487, D17.2.37. */
#define CLASS_UNKNOWN 0x00ul
#define CLASS_BREAKPOINT 0x3cul
#define SYNDROME_32_BITS (1ul << 25)

/* Numbers of exceptions. */
#define UNDEFINED_NUMBER (CLASS_UNKNOWN << 26 | SYNDROME_32_BITS)
#define BREAKPOINT_NUMBER (CLASS_BREAKPOINT << 26 | SYNDROME_32_BITS | 0x123)

#define SPSR_FLAGS 0xf0000000ul

/* The register of a function's first argument and of its result. */
#define ARGUMENT x0

/* The message words with the registers that the program set for the call, in order. The first register carries an
 * argument and the result. */
#define FIRST_CALL_WORD seL4_UnknownSyscall_X0
#define CALL_WORDS 7

static inline void check_flags(void)
{
    CHECK_EQUAL(seL4_GetMR(seL4_UserException_SPSR) & ~SPSR_FLAGS, 0);
}

static inline void check_call_flags(void)
{
    CHECK_EQUAL(seL4_GetMR(seL4_UnknownSyscall_X7), seL4_GetMR(seL4_UnknownSyscall_Syscall));
    CHECK_EQUAL(seL4_GetMR(seL4_UnknownSyscall_SPSR) & ~SPSR_FLAGS, 0);
}

/* Masks register values to bits that a program can set. */
static inline void make_possible(seL4_UserContext *context)
{
    context->spsr = 0x60000000;
}

#endif /* TESTS_FAULTS_PARENT_EXCEPTIONS_H */
