/* The contents of fault messages on RISC-V. */
#ifndef TESTS_FAULTS_PARENT_EXCEPTIONS_H
#define TESTS_FAULTS_PARENT_EXCEPTIONS_H

#include "test.h"

/* Numbers of exceptions. Source: The RISC-V Instruction Set Manual, Volume II: scause. */
#define UNDEFINED_NUMBER 2
#define BREAKPOINT_NUMBER 3

/* The register of a function's first argument and of its result. */
#define ARGUMENT a0

/* The message words with the registers that the program set for the call, in order. The first register carries an
 * argument and the result. */
#define FIRST_CALL_WORD seL4_UnknownSyscall_A0
#define CALL_WORDS 7

/* There are no flags. */
static inline void check_flags(void)
{
}

static inline void check_call_flags(void)
{
}

/* Masks register values to bits that a program can set: all of them. */
static inline void make_possible(seL4_UserContext *context)
{
    (void)context;
}

#endif /* TESTS_FAULTS_PARENT_EXCEPTIONS_H */
