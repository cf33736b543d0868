/* What faults look like on RISC-V. */
#ifndef TESTS_FAULTS_PARENT_EXCEPTIONS_H
#define TESTS_FAULTS_PARENT_EXCEPTIONS_H

#include "test.h"

/* Numbers of exceptions. Source: The RISC-V Instruction Set Manual, Volume II: scause. */
#define UNDEFINED_NUMBER 2
#define BREAKPOINT_NUMBER 3

/* The register with a function's first argument and result. */
#define ARGUMENT a0

/* The words of the message with registers that a program had filled for the call, one after another. The first carries
 * an argument, and the result. */
#define FIRST_CALL_WORD seL4_UnknownSyscall_A0
#define CALL_WORDS 7

/* There are no flags. */
static inline void check_flags(void)
{
}

static inline void check_call_flags(void)
{
}

/* Makes any values such that a program can have them: all are. */
static inline void make_possible(seL4_UserContext *context)
{
    (void)context;
}

#endif /* TESTS_FAULTS_PARENT_EXCEPTIONS_H */
