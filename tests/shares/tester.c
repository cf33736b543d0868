/* Sets the budgets of children, sleeps, and compares the time that they used with their budgets.
 *
 * It uses two measures: the consumed time that the kernel reports, and the child's count relative to the count of a child
 * with the whole processor. The second is independent of the kernel's report; it is smaller by the kernel's work on the
 * child's budget. */

#include <limen.h>

#include "count.h"
#include "print.h"
#include "test.h"
#include "text.h"
#include "tick.h"

/* Set by the tool. */
seL4_Word counts;

#define CONTROL microkit_cspace_root_slot_to_cptr(1)
#define OWN_TIME microkit_cspace_root_slot_to_cptr(2)
#define PLACES 6
/* The watching child. Its time is not checked. */
#define WATCHER 5

/* Length of a measurement. */
#define WINDOW_US 40000ul
/* Instructions of the kernel in a period of a share: its release, its end, and each interruption. */
#define KERNEL_PER_SWITCH 1500ul
/* Instructions of a preemption beyond the preempting program's budget: kernel entry and exit, the timer's lateness, and the
 * firmware of a board whose processor cannot read the clock. */
#define MOST_OVERRUN (1500ul + 4 * TICK)

/* The results of a measurement, by index. */
static seL4_Word elapsed, own_used;
static seL4_Word used_us[PLACES], counted[PLACES];
/* How far a child with the whole processor counts in a million instructions. */
static seL4_Word rate;

static seL4_CPtr time_of(seL4_Word child)
{
    return microkit_cspace_root_slot_to_cptr(2 + child);
}

static seL4_Word count_of(seL4_Word place)
{
    return ((volatile seL4_Word *)counts)[place];
}

static void configure(seL4_CPtr time, seL4_Word budget_us, seL4_Word period_us)
{
    CHECK_EQUAL(seL4_SchedControl_Configure(CONTROL, time, budget_us, period_us, 0, 0), seL4_NoError);
}

static void run_with(seL4_Word child, seL4_Word budget_us, seL4_Word period_us)
{
    configure(time_of(child), budget_us, period_us);
    CHECK_EQUAL(seL4_TCB_Resume(BASE_TCB_CAP + child), seL4_NoError);
}

static void stop_all(void)
{
    for (seL4_Word child = HIGH; child <= WATCHER; child++) {
        seL4_TCB_Suspend(BASE_TCB_CAP + child);
    }
}

/* Gives up what is left of the own budget, which comes back a period later. */
static void sleep(seL4_Word us)
{
    configure(OWN_TIME, us / 20, us);
    seL4_Yield();
}

static void note(void)
{
    for (seL4_Word place = HIGH; place < PLACES; place++) {
        used_us[place] = seL4_SchedContext_Consumed(time_of(place)).consumed;
        counted[place] = count_of(place) - counted[place];
    }
    own_used = seL4_SchedContext_Consumed(OWN_TIME).consumed;
    elapsed = limen_counter() - elapsed;
}

static void measure(void)
{
    sleep(WINDOW_US / 2);
    configure(OWN_TIME, WINDOW_US / 20, WINDOW_US);
    elapsed = 0;
    for (seL4_Word place = HIGH; place < PLACES; place++) {
        counted[place] = 0;
    }
    note();
    seL4_Yield();
    note();
}

/* Parts of a million of the processor. */
static seL4_Word used_ppm(seL4_Word place)
{
    return used_us[place] * 1000000 / (elapsed / 1000);
}

static seL4_Word computed_ppm(seL4_Word place)
{
    return counted[place] * 1000000 / rate * 1000000 / elapsed;
}

static void add_percent(struct text *line, const char *what, seL4_Word ppm)
{
    text_add(line, what);
    text_add_hundredths(line, ppm / 100);
    text_add(line, " %");
}

/* Shows what a child with this budget has got, and checks it. `switches` is how often it stops running in a period. */
static void expect(seL4_Word child, seL4_Word budget_us, seL4_Word period_us, seL4_Word switches)
{
    seL4_Word given = budget_us * 1000000 / period_us;
    seL4_Word used = used_ppm(child), computed = computed_ppm(child == CLIENT ? SERVER : child);
    struct text line = TEXT_EMPTY;
    text_add(&line, "SHARE ");
    text_add_decimal(&line, budget_us);
    text_add(&line, "/");
    text_add_decimal(&line, period_us);
    add_percent(&line, " given ", given);
    add_percent(&line, " used ", used);
    add_percent(&line, " computed ", computed);
    text_add(&line, "\n");
    print(text_terminated(&line));
    seL4_Word kernel = switches * KERNEL_PER_SWITCH * 1000 / period_us;
    CHECK(used >= given - given / 100 && used <= given + given / 100);
    CHECK(computed + kernel >= given - given / 100 && computed <= given + given / 100);
}

/* A child with a full budget gets the time that the others leave, and every microsecond is charged to a child. */
static void expect_rest(seL4_Word shares_ppm)
{
    seL4_Word rest = 1000000 - shares_ppm, used = used_ppm(FULL);
    CHECK(used >= rest - rest / 50 && used <= rest + rest / 50);
    seL4_Word all = own_used;
    for (seL4_Word place = HIGH; place < PLACES; place++) {
        all += used_us[place];
    }
    seL4_Word difference = all > elapsed / 1000 ? all - elapsed / 1000 : elapsed / 1000 - all;
    CHECK(difference <= WINDOW_US / 1000);
}

static void a_full_budget_gets_the_whole_processor(void)
{
    run_with(FULL, 1000, 1000);
    measure();
    rate = counted[FULL] * 1000000 / elapsed;
    CHECK(used_ppm(FULL) >= 990000);
    stop_all();
}

static void one_share(seL4_Word budget_us, seL4_Word period_us)
{
    run_with(FULL, 1000, 1000);
    run_with(HIGH, budget_us, period_us);
    measure();
    stop_all();
    expect(HIGH, budget_us, period_us, 1);
    expect_rest(budget_us * 1000000 / period_us);
}

static void a_quarter_in_short_periods(void)
{
    one_share(100, 400);
}

static void a_fifth(void)
{
    one_share(200, 1000);
}

static void two_shares(seL4_Word budget_us, seL4_Word period_us, seL4_Word low_budget_us, seL4_Word low_period_us)
{
    run_with(FULL, 1000, 1000);
    run_with(LOW, low_budget_us, low_period_us);
    run_with(HIGH, budget_us, period_us);
    measure();
    stop_all();
    expect(HIGH, budget_us, period_us, 1);
    expect(LOW, low_budget_us, low_period_us, 1 + low_period_us / period_us);
    expect_rest(budget_us * 1000000 / period_us + low_budget_us * 1000000 / low_period_us);
}

static void a_share_above_a_share(void)
{
    two_shares(100, 400, 200, 1000);
}

static void two_shares_of_the_same_period(void)
{
    two_shares(2000, 10000, 3000, 10000);
}

static void a_share_that_is_interrupted_often(void)
{
    two_shares(20, 90, 3000, 10000);
}

static void a_higher_priority_spinner_does_not_starve_others(void)
{
    run_with(FULL, 1000, 1000);
    run_with(HIGH, 950, 1000);
    measure();
    stop_all();
    expect(HIGH, 950, 1000, 1);
    CHECK(counted[FULL] > 0);
}

static void a_passive_server_uses_its_callers_budget(void)
{
    run_with(FULL, 1000, 1000);
    run_with(CLIENT, 1000, 4000);
    measure();
    stop_all();
    /* A call takes as much as a switch, and there are about 60 of them in a budget. */
    expect(CLIENT, 1000, 4000, 61);
    CHECK_EQUAL(used_us[SERVER], 0);
}

static void a_yielding_thread_runs_again_a_period_later(void)
{
    run_with(FULL, 1000, 1000);
    configure(OWN_TIME, 10000, 10000);
    configure(OWN_TIME, 1000, 10000);
    seL4_Word before = limen_counter();
    seL4_Yield();
    seL4_Word passed = limen_counter() - before;
    CHECK(passed >= 9900000 && passed <= 10100000);
    configure(OWN_TIME, 10000, 10000);
    before = limen_counter();
    seL4_Yield();
    CHECK(limen_counter() - before < 10000);
    stop_all();
}

/* Of many budgets, which a child uses up in one piece each, the longest piece. The tester wakes up in the middle of a period,
 * when the child waits, because a budget that is interrupted comes back in pieces. */
static void expect_no_overrun(seL4_Word child, seL4_Word budget_us, seL4_Word period_us)
{
    volatile seL4_Word *longest = (volatile seL4_Word *)counts + LONGEST;
    run_with(child, budget_us, period_us);
    CHECK_EQUAL(seL4_TCB_Resume(BASE_TCB_CAP + WATCHER), seL4_NoError);
    sleep(WINDOW_US / 2 + period_us / 2);
    *longest = NOT_YET;
    sleep(WINDOW_US);
    seL4_Word overrun = *longest - budget_us * 1000;
    stop_all();
    struct text line = TEXT_EMPTY;
    text_add(&line, "OVERRUN of ");
    text_add_decimal(&line, budget_us);
    text_add(&line, " us by ");
    text_add_decimal(&line, overrun);
    text_add(&line, "\n");
    print(text_terminated(&line));
    CHECK(overrun <= MOST_OVERRUN);
}

static void a_spinner_overruns_its_budget_by_a_pass_through_the_kernel(void)
{
    expect_no_overrun(HIGH, 200, 1000);
    expect_no_overrun(HIGH, 2000, 10000);
}

static void a_client_in_a_server_overruns_its_budget_by_a_pass_through_the_kernel(void)
{
    expect_no_overrun(CLIENT, 200, 1000);
}

void init(void)
{
    stop_all();
    sleep(WINDOW_US);
    RUN(a_full_budget_gets_the_whole_processor);
    RUN(a_quarter_in_short_periods);
    RUN(a_fifth);
    RUN(a_share_above_a_share);
    RUN(two_shares_of_the_same_period);
    RUN(a_share_that_is_interrupted_often);
    RUN(a_higher_priority_spinner_does_not_starve_others);
    RUN(a_passive_server_uses_its_callers_budget);
    RUN(a_yielding_thread_runs_again_a_period_later);
    RUN(a_spinner_overruns_its_budget_by_a_pass_through_the_kernel);
    RUN(a_client_in_a_server_overruns_its_budget_by_a_pass_through_the_kernel);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
