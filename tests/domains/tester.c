/* Runs beside a spinner of higher priority, and a program whose domain has no time. */

#include "recorded.h"
#include "test.h"

/* Set by the tool. */
seL4_Word counts;

#define SPINNER 0
#define SLEEPER 1

/* Threads and domains, in the order of the description. */
enum { UART_THREAD, TESTER_THREAD, SPINNER_THREAD };
enum { SYSTEM_DOMAIN, SPINNING_DOMAIN };

static seL4_Word count_of(seL4_Word counter)
{
    return ((volatile seL4_Word *)counts)[counter];
}

static void another_domain_runs_in_its_own_slots(void)
{
    microkit_notify(SPINNER);
    for (seL4_Word turn = 0; turn < 5; turn++) {
        seL4_Word before = count_of(SPINNER);
        while (count_of(SPINNER) == before) {
        }
    }
}

static void a_spinner_in_another_domain_takes_no_time_here(void)
{
    /* The count stands still while this domain runs, which is most of the time. */
    seL4_Word changes = 0, looks = 20000, last = count_of(SPINNER);
    for (seL4_Word i = 0; i < looks; i++) {
        seL4_Word now = count_of(SPINNER);
        changes += now != last;
        last = now;
    }
    CHECK(changes < looks / 100);
}

static void a_domain_before_the_start_or_after_the_end_never_runs(void)
{
    microkit_notify(SLEEPER);
    seL4_Word before = count_of(SPINNER);
    while (count_of(SPINNER) == before) {
    }
    CHECK_EQUAL(count_of(SLEEPER), 0);
}

/* Slots begin in turn, with the length of the schedule, and the processor changes with them. */
static void slots_are_recorded_with_their_lengths(void)
{
    seL4_Word groups = GROUP(TIME) | GROUP(THREADS);
    recorded_begin(groups);
    for (seL4_Word turn = 0; turn < 5; turn++) {
        seL4_Word before = count_of(SPINNER);
        while (count_of(SPINNER) == before) {
        }
    }
    recorded_end(groups);
    CHECK_EQUAL(recorded_count(limen_traced_domain), 10);
    seL4_Word at = 0;
    for (seL4_Word slot = 0; slot < 10; slot++) {
        at = recorded_find(at, limen_traced_domain, LIMEN_TRACE_NO_THREAD);
        int is_spinning = slot % 2 == 0;
        CHECK_RECORD(at, limen_traced_domain, LIMEN_TRACE_NO_THREAD, is_spinning ? SPINNING_DOMAIN : SYSTEM_DOMAIN);
        /* The kernel rounds up. */
        CHECK_EQUAL(records[at].second * 2000 / limen_trace_frequency(&cursor), is_spinning ? 1 : 4);
        seL4_Word leaving = is_spinning ? TESTER_THREAD : SPINNER_THREAD;
        CHECK_RECORD(at + 1, limen_traced_switch, leaving, is_spinning ? SPINNER_THREAD : TESTER_THREAD);
        at++;
    }
}

void init(void)
{
    RUN(another_domain_runs_in_its_own_slots);
    RUN(a_spinner_in_another_domain_takes_no_time_here);
    RUN(a_domain_before_the_start_or_after_the_end_never_runs);
    RUN(slots_are_recorded_with_their_lengths);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
