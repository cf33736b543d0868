/* Host tests: functions without arguments. Each starts with the library reset to the start of a process, may end in an
 * expected fault, and prints one line. */
#ifndef LIMEN_COTHREAD_TEST_H
#define LIMEN_COTHREAD_TEST_H

#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <libmicrokitco.h>

/* For use inside a test. The test's line shows the first failed check; the test continues. */
#define CHECK(condition) test_check((condition) ? 1 : 0, #condition, __LINE__)
#define CHECK_EQUAL(got, wanted) test_check_equal((unsigned long)(got), (unsigned long)(wanted), #got, __LINE__)
/* For a call that LIBMICROKITCO_UNSAFE must not make. */
#define CHECK_REFUSED(call, error) (LIMEN_CO_CHECKS ? CHECK_EQUAL(call, error) : (void)0)
#define CHECK_TEXT(got, wanted) test_check(strcmp((got), (wanted)) == 0, #got " is not " #wanted, __LINE__)
void test_check(int holds, const char *what, int line);
void test_check_equal(unsigned long got, unsigned long wanted, const char *what, int line);

/* Marks, in the order in which threads record them. */
void mark(char what);
const char *marks(void);

/* Memory for the library: aligned stacks with gaps between them, and a controller. */
#define STACK_BYTES 0x4000
extern char test_controller[LIBMICROKITCO_CONTROLLER_SIZE];
uintptr_t test_stack(size_t index);
/* Initialises the library with this memory. */
void test_start(void);

/* Runs a function that must fault. Returns the fault address and keeps the console's text. */
unsigned long fault_of(void (*function)(void));
extern char test_console[256];

#define RUN(test) test_run(#test, test)
void test_run(const char *name, void (*test)(void));
/* Prints the summary and returns the exit status. */
int test_end(const char *suite);

#endif /* LIMEN_COTHREAD_TEST_H */
