/* Runs when every culprit has stopped, and checks their records. */

#include "crimes.h"
#include "test.h"

#define HEALTHY_CALL 0
#define HEALTHY_SIGNAL 1
#define CULPRIT 2

/* Set by the tool. */
seL4_Word record;

static enum crime crime;

static struct record *shared(void)
{
    return (struct record *)record;
}

/* Checks that a culprit reached its crime and did not continue. */
static void is_stopped(void)
{
    CHECK_EQUAL(shared()->started[crime], 1);
    CHECK_EQUAL(shared()->survived[crime], 0);
}

static void others_run_on(void)
{
    for (seL4_Word i = 0; i < 1000; i++) {
        microkit_mr_set(0, i);
        microkit_msginfo answer = microkit_ppcall(HEALTHY_CALL, microkit_msginfo_new(i, 1));
        CHECK_EQUAL(microkit_msginfo_get_label(answer), i);
        CHECK_EQUAL(microkit_mr_get(0), i + 1);
        microkit_notify(HEALTHY_SIGNAL);
        CHECK_EQUAL(wait_for_signals(), 1ul << HEALTHY_SIGNAL);
    }
}

static void a_signal_does_not_wake_the_stopped(void)
{
    microkit_notify(CULPRIT);
    others_run_on();
    CHECK_EQUAL(shared()->notified[CRIME_null_load], 0);
    CHECK_EQUAL(shared()->survived[CRIME_null_load], 0);
}

#define RUN_CRIME(name)       \
    crime = CRIME_##name;     \
    RUN_FOR(#name, is_stopped);

void init(void)
{
    FOR_EACH_CRIME(RUN_CRIME)
    RUN(others_run_on);
    RUN(a_signal_does_not_wake_the_stopped);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
