/* Calls and notifies a passive server, and lets others call it. */

#include "journal.h"
#include "events.h"
#include "test.h"

#define SERVER_SIGNAL 3
#define HIGH_CLIENT 11
#define LOW_CLIENT 12

#define BIT(channel) (1ul << (channel))

seL4_Word journal;

static void call(microkit_channel ch, seL4_Word label, seL4_Word count)
{
    for (seL4_Word i = 0; i < count; i++) {
        microkit_mr_set((seL4_Uint8)i, 1000 * i);
    }
    microkit_msginfo answer = microkit_ppcall(ch, microkit_msginfo_new(label, (seL4_Uint16)count));
    CHECK_EQUAL(microkit_msginfo_get_label(answer), label);
    CHECK_EQUAL(microkit_msginfo_get_count(answer), count);
}

static void check_words(seL4_Word count, seL4_Word added)
{
    for (seL4_Word i = 0; i < count; i++) {
        CHECK_EQUAL(microkit_mr_get((seL4_Uint8)i), 1000 * i + added);
    }
}

static void init_runs_before_any_call(void)
{
    CHECK_JOURNAL(EVENT('i', INITIALISED), EVENT('s', INITIALISED));
}

static void a_call_runs_the_server(void)
{
    journal_clear();
    call(SERVER, ANSWER_AND_RECORD, 4);
    check_words(4, 1);
    CHECK_JOURNAL(EVENT('s', CALLED + 5));
}

static void long_messages_arrive(void)
{
    call(SERVER, ANSWER, 64);
    check_words(64, 1);
    call(SERVER, ANSWER, 5);
    check_words(5, 1);
}

static void a_notification_runs_the_server(void)
{
    journal_clear();
    microkit_notify(SERVER_SIGNAL);
    CHECK_JOURNAL(EVENT('s', 6));
}

static void notifications_and_calls_take_turns(void)
{
    for (seL4_Word i = 0; i < 1000; i++) {
        journal_clear();
        microkit_notify(SERVER_SIGNAL);
        call(SERVER, ANSWER_AND_RECORD, 1);
        microkit_notify(SERVER_SIGNAL);
        CHECK_JOURNAL(EVENT('s', 6), EVENT('s', CALLED + 5), EVENT('s', 6));
    }
}

/* The signal arrives while the server runs on the caller's time; it is handled on the server's own, after the
 * answer and before the caller continues, because the server has the higher priority. */
static void a_notification_during_a_call_is_handled_after_it(void)
{
    journal_clear();
    call(SERVER, BE_NOTIFIED, 1);
    check_words(1, 1);
    CHECK_JOURNAL(EVENT('s', CALLED + 5), EVENT('s', 4));
}

static void a_passive_server_calls_another(void)
{
    journal_clear();
    call(SERVER, ASK_INNER, 6);
    check_words(6, 2);
    CHECK_JOURNAL(EVENT('s', CALLED + 5));
}

static void the_inner_server_can_be_called_directly(void)
{
    call(INNER, ANSWER, 3);
    check_words(3, 1);
}

static void a_client_of_higher_priority(void)
{
    journal_clear();
    microkit_notify(HIGH_CLIENT);
    CHECK_JOURNAL(EVENT('s', CALLED + 7), EVENT('h', ANSWERED + 42));
    CHECK_EQUAL(poll_signals(), BIT(HIGH_CLIENT));
}

static void a_client_of_lower_priority(void)
{
    journal_clear();
    microkit_notify(LOW_CLIENT);
    CHECK_EQUAL(journal_count(), 0);
    CHECK_EQUAL(wait_for_signals(), BIT(LOW_CLIENT));
    CHECK_JOURNAL(EVENT('s', CALLED + 8), EVENT('l', ANSWERED + 42));
}

/* Long enough to use up many slices of the caller, which the server's work is charged to. */
static void many_calls_of_several_clients(void)
{
    for (seL4_Word i = 0; i < 1000; i++) {
        a_client_of_higher_priority();
        call(SERVER, ASK_INNER, i % 20);
        check_words(i % 20, 2);
        a_client_of_lower_priority();
    }
}

void init(void)
{
    RUN(init_runs_before_any_call);
    RUN(a_call_runs_the_server);
    RUN(long_messages_arrive);
    RUN(a_notification_runs_the_server);
    RUN(notifications_and_calls_take_turns);
    RUN(a_notification_during_a_call_is_handled_after_it);
    RUN(a_passive_server_calls_another);
    RUN(the_inner_server_can_be_called_directly);
    RUN(a_client_of_higher_priority);
    RUN(a_client_of_lower_priority);
    RUN(many_calls_of_several_clients);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
