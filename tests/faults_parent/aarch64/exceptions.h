/* What faults look like on AArch64. */
#ifndef TESTS_FAULTS_PARENT_EXCEPTIONS_H
#define TESTS_FAULTS_PARENT_EXCEPTIONS_H

#include "test.h"

/* Exception classes and fault status of ESR_EL1. Source: ARM DDI 0487, D17.2.37. */
#define CLASS(syndrome) ((syndrome) >> 26)
#define CLASS_UNKNOWN 0x00ul
#define CLASS_INSTRUCTION_ABORT 0x20
#define CLASS_DATA_ABORT 0x24
#define CLASS_BREAKPOINT 0x3cul
#define SYNDROME_32_BITS (1ul << 25)
#define SYNDROME_WRITE (1ul << 6)
/* The level of the table is left out. */
#define STATUS(syndrome) ((syndrome) & 0x3c)
#define STATUS_TRANSLATION 0x04
#define STATUS_PERMISSION 0x0c

/* Numbers of exceptions. */
#define UNDEFINED_NUMBER (CLASS_UNKNOWN << 26 | SYNDROME_32_BITS)
#define BREAKPOINT_NUMBER (CLASS_BREAKPOINT << 26 | SYNDROME_32_BITS | 0x123)

#define SPSR_FLAGS 0xf0000000ul
/* Exception level 1, interrupts masked. */
#define SPSR_PRIVILEGED 0x3c5ul

/* The register with a function's first argument and result. */
#define ARGUMENT x0

/* The words of the message with registers that a program had filled for the call, one after another. The first carries
 * an argument, and the result. */
#define FIRST_CALL_WORD seL4_UnknownSyscall_X0
#define CALL_WORDS 7

static inline void check_status(seL4_Word syndrome, enum attempt attempt, enum obstacle obstacle)
{
    CHECK_EQUAL(CLASS(syndrome), attempt == FETCHING ? CLASS_INSTRUCTION_ABORT : CLASS_DATA_ABORT);
    if (obstacle != UNKNOWN) {
        CHECK_EQUAL(STATUS(syndrome), obstacle == MISSING ? STATUS_TRANSLATION : STATUS_PERMISSION);
    }
    CHECK_EQUAL(syndrome & SYNDROME_WRITE, attempt == STORING ? SYNDROME_WRITE : 0);
}

static inline void check_flags(void)
{
    CHECK_EQUAL(seL4_GetMR(seL4_UserException_SPSR) & ~SPSR_FLAGS, 0);
}

static inline void check_call_flags(void)
{
    CHECK_EQUAL(seL4_GetMR(seL4_UnknownSyscall_X7), seL4_GetMR(seL4_UnknownSyscall_Syscall));
    CHECK_EQUAL(seL4_GetMR(seL4_UnknownSyscall_SPSR) & ~SPSR_FLAGS, 0);
}

/* Makes any values such that a program can have them. */
static inline void make_possible(seL4_UserContext *context)
{
    context->spsr = 0x60000000;
}

#endif /* TESTS_FAULTS_PARENT_EXCEPTIONS_H */
