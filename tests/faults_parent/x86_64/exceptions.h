/* The contents of fault messages on x86. */
#ifndef TESTS_FAULTS_PARENT_EXCEPTIONS_H
#define TESTS_FAULTS_PARENT_EXCEPTIONS_H

#include "test.h"

/* Numbers of exceptions. */
#define UNDEFINED_NUMBER 6
#define BREAKPOINT_NUMBER 3

/* Flags that a program may set: those of arithmetic and direction. Two others are always set. */
#define FLAGS_OF_PROGRAM 0xcd5ul
#define FLAGS_FIXED 0x202ul

/* The register of a function's first argument. */
#define ARGUMENT rdi

/* The message words with the registers that the program set for the call, in order. The first register carries an
 * argument and the result. */
#define FIRST_CALL_WORD seL4_UnknownSyscall_RSI
#define CALL_WORDS 6

/* The processor sets the resume flag (bit 16) when it reports a fault. */
static inline void check_flags(void)
{
    seL4_Word flags = seL4_GetMR(seL4_UserException_FLAGS) & ~(1ul << 16);
    CHECK_EQUAL(flags & ~FLAGS_OF_PROGRAM, FLAGS_FIXED);
}

static inline void check_call_flags(void)
{
    CHECK_EQUAL(seL4_GetMR(seL4_UnknownSyscall_RDX), seL4_GetMR(seL4_UnknownSyscall_Syscall));
    CHECK_EQUAL(seL4_GetMR(seL4_UnknownSyscall_FLAGS) & ~FLAGS_OF_PROGRAM, FLAGS_FIXED);
}

/* Masks register values to bits that a program can set. */
static inline void make_possible(seL4_UserContext *context)
{
    context->rip = 0x123456789abcul;
    context->rflags = 0x801 | FLAGS_FIXED;
    context->fs_base = 0x111111111110ul;
    context->gs_base = 0x7ffffffffff0ul;
}

#endif /* TESTS_FAULTS_PARENT_EXCEPTIONS_H */
