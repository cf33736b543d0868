/* Runs beside a spinner of higher priority, and a program whose domain has no time. */

#include "test.h"

/* Set by the tool. */
seL4_Word counts;

#define SPINNER 0
#define SLEEPER 1

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

void init(void)
{
    RUN(another_domain_runs_in_its_own_slots);
    RUN(a_spinner_in_another_domain_takes_no_time_here);
    RUN(a_domain_before_the_start_or_after_the_end_never_runs);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
