/* What faults look like on x86. */
#ifndef TESTS_FAULTS_PARENT_EXCEPTIONS_H
#define TESTS_FAULTS_PARENT_EXCEPTIONS_H

#include "test.h"

/* Error codes of page faults. Source: Intel SDM, volume 3, figure 4-12. */
#define PAGE_FAULT_PRESENT 0x1ul
#define PAGE_FAULT_WRITE 0x2ul
#define PAGE_FAULT_USER 0x4ul
#define PAGE_FAULT_FETCH 0x10ul

/* Numbers of exceptions. */
#define UNDEFINED_NUMBER 6
#define BREAKPOINT_NUMBER 3

/* Flags that a program may set: those of arithmetic and direction. Two others are always set. */
#define FLAGS_OF_PROGRAM 0xcd5ul
#define FLAGS_FIXED 0x202ul
/* The input/output privilege level, nested task, virtual 8086 mode. */
#define FLAGS_PRIVILEGED 0x27000ul

/* The register with a function's first argument. */
#define ARGUMENT rdi

/* The words of the message with registers that a program had filled for the call, one after another. The first carries
 * an argument, and the result. */
#define FIRST_CALL_WORD seL4_UnknownSyscall_RSI
#define CALL_WORDS 6

static inline void check_status(seL4_Word code, enum attempt attempt, enum obstacle obstacle)
{
    CHECK_EQUAL(code & PAGE_FAULT_USER, PAGE_FAULT_USER);
    CHECK_EQUAL(code & PAGE_FAULT_WRITE, attempt == STORING ? PAGE_FAULT_WRITE : 0);
    CHECK_EQUAL(code & PAGE_FAULT_FETCH, attempt == FETCHING ? PAGE_FAULT_FETCH : 0);
    if (obstacle != UNKNOWN) {
        CHECK_EQUAL(code & PAGE_FAULT_PRESENT, obstacle == MISSING ? 0 : PAGE_FAULT_PRESENT);
    }
}

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

/* Makes any values such that a program can have them. */
static inline void make_possible(seL4_UserContext *context)
{
    context->rip = 0x123456789abcul;
    context->rflags = 0x801 | FLAGS_FIXED;
    context->fs_base = 0x111111111110ul;
    context->gs_base = 0x7ffffffffff0ul;
}

#endif /* TESTS_FAULTS_PARENT_EXCEPTIONS_H */
