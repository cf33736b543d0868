/* Notifies programs of every priority, and checks which program runs when, and the signals that it receives. */

#include "journal.h"
#include "events.h"
#include "test.h"

#define HIGH 0
#define HIGH_OTHER 61
#define PEER 1
#define LOW 2
#define LOW_0 3
#define LOW_7 4
#define LOW_40 5
#define RAW 6
#define RAW_0 7
#define RAW_61 8
#define SERVER 9
#define DEFERRER 10
#define DEFERRER_CALL 11
#define CALLER 12
#define ONE_WAY 13
#define UNKNOWN 14
#define SENDER 15

#define BIT(channel) (1ul << (channel))

seL4_Word journal;

/* Lets low_recorder run until it has handled everything, the answer to the tester last. It is then interrupted before
 * it waits again, so that it takes all signals that follow together. */
static void let_low_run(void)
{
    microkit_notify(LOW);
    CHECK_EQUAL(wait_for_signals(), BIT(LOW));
}

/* Lets every other program run until it waits: raw has the lowest priority. */
static void let_all_wait(void)
{
    microkit_notify(RAW);
    CHECK_EQUAL(wait_for_signals(), BIT(RAW));
}

static void higher_priority_runs_at_once(void)
{
    journal_clear();
    microkit_notify(HIGH);
    CHECK_JOURNAL(EVENT('h', 60));
    microkit_notify(HIGH_OTHER);
    CHECK_JOURNAL(EVENT('h', 60), EVENT('h', 0));
}

static void lower_priority_runs_when_the_tester_waits(void)
{
    journal_clear();
    microkit_notify(LOW);
    CHECK_EQUAL(journal_count(), 0);
    CHECK_EQUAL(wait_for_signals(), BIT(LOW));
    CHECK_JOURNAL(EVENT('l', 61));
}

static void equal_priority_runs_when_the_tester_waits(void)
{
    journal_clear();
    microkit_notify(PEER);
    CHECK_EQUAL(journal_count(), 0);
    CHECK_EQUAL(wait_for_signals(), BIT(PEER));
    CHECK_JOURNAL(EVENT('p', 61));
}

static void signals_on_one_channel_merge(void)
{
    let_low_run();
    journal_clear();
    microkit_notify(LOW_7);
    microkit_notify(LOW_7);
    microkit_notify(LOW_7);
    let_low_run();
    CHECK_JOURNAL(EVENT('l', 7), EVENT('l', 61));
}

static void channels_are_reported_in_ascending_order(void)
{
    let_low_run();
    journal_clear();
    microkit_notify(LOW);
    microkit_notify(LOW_40);
    microkit_notify(LOW_0);
    microkit_notify(LOW_7);
    CHECK_EQUAL(wait_for_signals(), BIT(LOW));
    CHECK_JOURNAL(EVENT('l', 0), EVENT('l', 7), EVENT('l', 40), EVENT('l', 61));
}

/* A waiting program receives the first signal alone; signals that follow before it runs stay pending. */
static void a_waiting_program_takes_the_first_signal_alone(void)
{
    let_all_wait();
    journal_clear();
    microkit_notify(LOW_40);
    microkit_notify(LOW_7);
    let_low_run();
    CHECK_JOURNAL(EVENT('l', 40), EVENT('l', 7), EVENT('l', 61));
}

static void signals_of_several_channels_are_one_word(void)
{
    let_all_wait();
    journal_clear();
    microkit_notify(RAW);
    microkit_notify(RAW_61);
    microkit_notify(RAW_0);
    microkit_notify(RAW_61);
    CHECK_EQUAL(wait_for_signals(), BIT(RAW));
    CHECK_JOURNAL(BIT(0) | BIT(40) | BIT(61));
}

static void every_channel_has_its_number(void)
{
    let_all_wait();
    journal_clear();
    microkit_notify(SENDER);
    let_all_wait();
    CHECK_EQUAL(journal_count(), SENDER_START + 1);
    for (microkit_channel ch = 0; ch < SENDER_START; ch++) {
        CHECK_EQUAL(journal_at(ch), EVENT('w', ch));
    }
}

static void signals_during_a_call_are_kept(void)
{
    journal_clear();
    microkit_msginfo answer = microkit_ppcall(SERVER, microkit_msginfo_new(SERVER_NOTIFY_CALLER, 0));
    CHECK_EQUAL(microkit_msginfo_get_label(answer), 7);
    CHECK_EQUAL(poll_signals(), BIT(SERVER));
    CHECK_EQUAL(poll_signals(), 0);
    CHECK_JOURNAL(EVENT('s', SIGNALS_SENT));
}

static void the_event_loop_reports_signals_after_the_call(void)
{
    journal_clear();
    microkit_notify(CALLER);
    CHECK_JOURNAL(EVENT('c', 1), EVENT('s', SIGNALS_SENT), EVENT('c', CALL_RETURNED + 7000), EVENT('c', 2));
}

static void woken_programs_run_by_priority(void)
{
    journal_clear();
    microkit_ppcall(SERVER, microkit_msginfo_new(SERVER_NOTIFY_BOTH, 0));
    CHECK_JOURNAL(EVENT('s', SIGNALS_SENT), EVENT('h', 20));
    let_low_run();
    CHECK_JOURNAL(EVENT('s', SIGNALS_SENT), EVENT('h', 20), EVENT('l', 20), EVENT('l', 61));
}

static void a_deferred_signal_goes_with_the_next_receive(void)
{
    journal_clear();
    microkit_notify(DEFERRER);
    CHECK_JOURNAL(EVENT('d', DEFERRED), EVENT('h', 21));
}

static void a_deferred_signal_goes_with_the_answer(void)
{
    journal_clear();
    microkit_msginfo answer = microkit_ppcall(DEFERRER_CALL, microkit_msginfo_new(DEFERRER_ONE, 0));
    CHECK_EQUAL(microkit_msginfo_get_label(answer), 1);
    CHECK_JOURNAL(EVENT('d', DEFERRED), EVENT('h', 21));
    CHECK_EQUAL(poll_signals(), 0);
}

static void a_second_deferred_signal_replaces_the_first(void)
{
    journal_clear();
    microkit_ppcall(DEFERRER_CALL, microkit_msginfo_new(DEFERRER_TWO, 0));
    CHECK_JOURNAL(EVENT('d', DEFERRED), EVENT('h', 22));
}

static void channels_without_permission_are_refused(void)
{
    journal_clear();
    microkit_notify(ONE_WAY);
    microkit_notify(UNKNOWN);
    microkit_notify(62);
    microkit_notify(~0u);
    microkit_deferred_notify(UNKNOWN);
    CHECK_EQUAL(microkit_have_signal, 0);
    microkit_msginfo answer = microkit_ppcall(LOW, microkit_msginfo_new(5, 3));
    CHECK_EQUAL(answer.words[0], 0);
    let_low_run();
    CHECK_JOURNAL(EVENT('l', 61));
}

static void many_signals_back_and_forth(void)
{
    for (seL4_Word i = 0; i < 1000; i++) {
        journal_clear();
        microkit_notify(RAW);
        CHECK_EQUAL(wait_for_signals(), BIT(RAW));
        let_low_run();
        microkit_notify(HIGH);
        CHECK_JOURNAL(BIT(40), EVENT('l', 61), EVENT('h', 60));
    }
}

void init(void)
{
    RUN(higher_priority_runs_at_once);
    RUN(lower_priority_runs_when_the_tester_waits);
    RUN(equal_priority_runs_when_the_tester_waits);
    RUN(signals_on_one_channel_merge);
    RUN(channels_are_reported_in_ascending_order);
    RUN(a_waiting_program_takes_the_first_signal_alone);
    RUN(signals_of_several_channels_are_one_word);
    RUN(every_channel_has_its_number);
    RUN(signals_during_a_call_are_kept);
    RUN(the_event_loop_reports_signals_after_the_call);
    RUN(woken_programs_run_by_priority);
    RUN(a_deferred_signal_goes_with_the_next_receive);
    RUN(a_deferred_signal_goes_with_the_answer);
    RUN(a_second_deferred_signal_replaces_the_first);
    RUN(channels_without_permission_are_refused);
    RUN(many_signals_back_and_forth);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
