/* One attack: start the culprit in a known state, receive its fault, compare. */
#ifndef TESTS_ATTACKS_ATTEMPT_H
#define TESTS_ATTACKS_ATTEMPT_H

#include "places.h"
#include "test.h"

#define CULPRIT 0
#define CULPRIT_THREAD (BASE_TCB_CAP + CULPRIT)

/* The expected outcome of an attack. */
enum ending {
    /* UserException, with a number and a code. */
    EXCEPTION,
    /* As above, with number and code as ARCH/architecture.h says for the instruction. */
    TRAPPED,
    /* UnknownSyscall, with a number. */
    SYSTEM_CALL,
    /* VMFault of a data access: the number is the status, the code the address. */
    MEMORY,
    /* The instruction is allowed, and the undefined instruction after it faults. */
    HARMLESS,
    /* EXCEPTION on processors and in QEMU 7.2. QEMU 10 executes it without a check and reaches the next instruction. */
    UNCHECKED,
};

/* The registers with which the next attempt starts. */
extern seL4_UserContext registers;

/* The fault of the last attempt. */
struct report {
    seL4_Word label;
    seL4_Word length;
    seL4_Word words[seL4_UnknownSyscall_Length];
};
extern struct report report;

/* Sets all registers: each to a different address in the culprit's memory; then `pc` and the stack. */
void prepare(seL4_Word pc);

/* Begins an attempt. Complaints about it carry this name, and the number unless it is zero. */
void begin(const char *name, seL4_Word number);

/* Runs the culprit with the prepared registers until it faults. */
void attempt(void);

/* Resumes it with a reply of `words` message words to its last fault. */
void attempt_with_answer(seL4_Word words);

/* Receives the culprit's next fault. */
void await(void);

/* Complains about a wrong value, at most once per attempt. */
void expect(const char *what, seL4_Word got, seL4_Word wanted);

/* Checks the report. */
void expect_exception(seL4_Word pc, seL4_Word number, seL4_Word code);
void expect_system_call(seL4_Word pc, seL4_Word number);
void expect_memory_fault(seL4_Word pc, seL4_Word address, seL4_Word fetched);

/* Checks that the culprit's registers are unchanged since its start, except for the program counter. */
void expect_registers(seL4_Word pc);

/* Ends a series of attempts and prints their number. The test fails if any attempt had a wrong outcome. */
void end_series(const char *name);

#endif /* TESTS_ATTACKS_ATTEMPT_H */
