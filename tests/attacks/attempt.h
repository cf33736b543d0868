/* One attack: start the culprit in a known state, see what its handler is told, compare. */
#ifndef TESTS_ATTACKS_ATTEMPT_H
#define TESTS_ATTACKS_ATTEMPT_H

#include "places.h"
#include "test.h"

#define CULPRIT 0
#define CULPRIT_THREAD (BASE_TCB_CAP + CULPRIT)

/* How an attack must end. */
enum ending {
    /* UserException, with a number and a code. */
    EXCEPTION,
    /* As above, with number and code as ARCH/architecture.h says for the instruction. */
    TRAPPED,
    /* UnknownSyscall, with a number. */
    SYSTEM_CALL,
    /* VMFault of a data access: the number is the status, the code the address. */
    MEMORY,
    /* It is allowed, and the undefined instruction behind it is reached. */
    HARMLESS,
    /* EXCEPTION on processors and in QEMU 7.2. QEMU 10 executes it without a check, and reaches what is behind it. */
    UNCHECKED,
};

/* The registers with which the next attempt starts. */
extern seL4_UserContext registers;

/* What the last attempt told its handler. */
struct report {
    seL4_Word label;
    seL4_Word length;
    seL4_Word words[seL4_UnknownSyscall_Length];
};
extern struct report report;

/* Makes the registers known: each a different address in the culprit's memory; then `pc` and the stack. */
void prepare(seL4_Word pc);

/* Begins an attempt: complaints about it have this name, and a number if it is not zero. */
void begin(const char *name, seL4_Word number);

/* Lets the culprit run with the prepared registers until it faults. */
void attempt(void);

/* Lets it run on with an answer of `words` message words to its last fault. */
void attempt_with_answer(seL4_Word words);

/* Receives the culprit's next fault. */
void await(void);

/* Complains, once for each attempt, if something is not as it must be. */
void expect(const char *what, seL4_Word got, seL4_Word wanted);

/* What the report must be. */
void expect_exception(seL4_Word pc, seL4_Word number, seL4_Word code);
void expect_system_call(seL4_Word pc, seL4_Word number);
void expect_memory_fault(seL4_Word pc, seL4_Word address, seL4_Word fetched);

/* The culprit's registers are those that it was started with, apart from the program counter. */
void expect_registers(seL4_Word pc);

/* Ends a series of attempts: the test fails unless all were as they must be. Prints how many there were. */
void end_series(const char *name);

#endif /* TESTS_ATTACKS_ATTEMPT_H */
