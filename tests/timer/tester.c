/* Sets alarms and sleeps: no program runs until the clock interrupts. */

#include "test.h"
#include "timer.h"

#define FIRST 0
#define SECOND 1
#define FIRST_SIGNAL (1ul << FIRST)
#define SECOND_SIGNAL (1ul << SECOND)

/* Microseconds. */
#define SHORT 1000
#define LONG 50000
#define HOURS 10000000000ul

static seL4_Word call(microkit_channel client, enum timer_request request, seL4_Word argument)
{
    microkit_mr_set(0, argument);
    microkit_ppcall(client, microkit_msginfo_new(request, 1));
    return microkit_mr_get(0);
}

static void time_advances(void)
{
    seL4_Word first = call(FIRST, TIMER_NOW, 0);
    seL4_Word later;
    do {
        later = call(SECOND, TIMER_NOW, 0);
        CHECK(later >= first);
    } while (later == first);
}

static void an_alarm_does_not_come_early(void)
{
    for (int i = 0; i < 20; i++) {
        seL4_Word asked = call(FIRST, TIMER_WAKE_AFTER, SHORT);
        CHECK_EQUAL(wait_for_signals(), FIRST_SIGNAL);
        CHECK(call(FIRST, TIMER_NOW, 0) - asked >= SHORT);
    }
    CHECK_EQUAL(poll_signals(), 0);
}

static void the_earlier_alarm_comes_first(void)
{
    call(FIRST, TIMER_WAKE_AFTER, HOURS);
    call(SECOND, TIMER_WAKE_AFTER, SHORT);
    CHECK_EQUAL(wait_for_signals(), SECOND_SIGNAL);
    seL4_Word asked = call(FIRST, TIMER_WAKE_AFTER, SHORT);
    CHECK_EQUAL(wait_for_signals(), FIRST_SIGNAL);
    CHECK(call(FIRST, TIMER_NOW, 0) - asked >= SHORT);
}

/* Farther away than some clocks can count. */
static void an_alarm_may_be_far_away(void)
{
    seL4_Word asked = call(FIRST, TIMER_WAKE_AFTER, 2 * LONG);
    CHECK_EQUAL(wait_for_signals(), FIRST_SIGNAL);
    CHECK(call(FIRST, TIMER_NOW, 0) - asked >= 2 * LONG);
}

static void an_alarm_that_is_due_comes_at_once(void)
{
    for (int i = 0; i < 20; i++) {
        call(FIRST, TIMER_WAKE_AFTER, 0);
        CHECK_EQUAL(wait_for_signals(), FIRST_SIGNAL);
    }
    CHECK_EQUAL(poll_signals(), 0);
}

void init(void)
{
    RUN(time_advances);
    RUN(an_alarm_does_not_come_early);
    RUN(the_earlier_alarm_comes_first);
    RUN(an_alarm_may_be_far_away);
    RUN(an_alarm_that_is_due_comes_at_once);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
