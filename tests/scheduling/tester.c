/* Starts the others and checks the order in which they ran. */

#include "instructions_for_programs.h"
#include "journal.h"
#include "test.h"
#include "turns.h"

#define YIELDER_A 10
#define YIELDER_B 11

#define BIT(channel) (1ul << (channel))

/* Set by the tool. */
seL4_Word journal;
seL4_Word turns;

static struct turns *shared(void)
{
    return (struct turns *)turns;
}

/* The tester's priority lies between those of c and d. */
static void programs_start_by_priority(void)
{
    CHECK_JOURNAL('a', 'b', 'c');
}

static void lower_priorities_start_when_the_tester_waits(void)
{
    seL4_Word signals = 0;
    microkit_notify(YIELDER_A);
    CHECK_EQUAL(journal_count(), 3);
    while (!(signals & BIT(YIELDER_A))) {
        signals |= wait_for_signals();
    }
    CHECK_EQUAL(journal_at(3), 'd');
}

static void equals_that_yield_take_turns(void)
{
    seL4_Word signals = 0;
    journal_clear();
    microkit_notify(YIELDER_B);
    microkit_notify(YIELDER_A);
    while (signals != (BIT(YIELDER_A) | BIT(YIELDER_B))) {
        signals |= wait_for_signals();
    }
    CHECK_EQUAL(journal_count(), 20);
    for (seL4_Word i = 0; i < 20; i++) {
        CHECK_EQUAL(journal_at(i), i % 2 ? 'x' + 'y' - journal_at(0) : journal_at(0));
    }
}

/* None of the spinners ever waits or yields. */
static void equals_that_do_not_yield_take_turns(void)
{
    seL4_Word waiting = 0;
    for (microkit_channel spinner = 1; spinner <= SPINNERS; spinner++) {
        microkit_notify(spinner);
        waiting |= BIT(spinner);
    }
    while (waiting) {
        waiting &= ~wait_for_signals();
    }
    for (int spinner = 1; spinner <= SPINNERS; spinner++) {
        CHECK(shared()->count[spinner] >= TURNS && shared()->count[spinner] <= TURNS + 2);
    }
}

static void busy_programs_do_not_hold_up_the_tester(void)
{
    seL4_Word before = shared()->count[1] + shared()->count[2] + shared()->count[3];
    for (volatile int i = 0; i < 1000000; i++) {
    }
    CHECK_EQUAL(shared()->count[1] + shared()->count[2] + shared()->count[3], before);
}

void init(void)
{
    RUN(programs_start_by_priority);
    RUN(lower_priorities_start_when_the_tester_waits);
    RUN(equals_that_yield_take_turns);
    RUN(equals_that_do_not_yield_take_turns);
    RUN(busy_programs_do_not_hold_up_the_tester);
    test_instructions();
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
