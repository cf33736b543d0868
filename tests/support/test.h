/* Tests: functions without arguments. Each prints one line.
 *
 *   static void labels_are_52_bits_wide(void)
 *   {
 *       CHECK_EQUAL(label_of(call()), 5);
 *   }
 *
 *   void init(void)
 *   {
 *       RUN(labels_are_52_bits_wide);
 *       suite_end();
 *   }
 *
 * A program that runs tests has a channel to the UART program. Its message words do not survive the end of a test. */
#ifndef TESTS_TEST_H
#define TESTS_TEST_H

#include <microkit.h>

typedef void (*test_t)(void);

/* Runs a test and reports it under its own name, or with a word in front of it. */
#define RUN(test) test_run("", #test, test)
#define RUN_FOR(subject, test) test_run(subject, #test, test)
void test_run(const char *subject, const char *name, test_t test);

/* For use inside a test. The test's line shows the first failed check; the test continues. */
#define CHECK(condition) check((condition) ? 1 : 0, #condition, __LINE__)
#define CHECK_EQUAL(got, wanted) check_equal((got), (wanted), #got, __LINE__)
void check(int holds, const char *condition, int line);
void check_equal(seL4_Word got, seL4_Word wanted, const char *what, int line);

/* Ends the run. One program of a suite does this, after every other has reported its tests. */
void suite_end(void);

/* Waits for signals and returns the bits of their channels. For programs that are neither called nor have children. */
static inline seL4_Word wait_for_signals(void)
{
    seL4_Word channels;
    seL4_Wait(LIMEN_INPUT_CAP, &channels);
    return channels;
}

/* Returns the pending signals without waiting; 0 if none. */
static inline seL4_Word poll_signals(void)
{
    seL4_Word channels;
    seL4_NBWait(LIMEN_INPUT_CAP, &channels);
    return channels;
}

#endif /* TESTS_TEST_H */
