/* Looks at the victims in each of its periods while the attackers run in what is left, and has them started over when they
 * are stuck. */

#include "features.h"
#include "print.h"
#include "random.h"
#include "test.h"
#include "text.h"
#include "watch.h"

#define KEEPER 0
#define KERNEL_DIGEST 4
#define SELF_CHECK 9

/* A period, in instructions, each of which takes a nanosecond. A little less, so that none is missed. */
#define PERIOD_CYCLES 49000000ul
/* Periods in which a victim makes a round at least: one that attackers may interrupt needs a turn of each of them. */
#define MOST_PERIODS 20
/* Periods in which an attacker is taken for stuck if it begins no attempt. */
#define STUCK_PERIODS 2
/* Periods for one pair of features, if it is not granted at once. */
#define PERIODS_PER_PAIR 2
/* What is silent for long is taken for dead. */
#define PERIODS_PER_LINE 200

#define PAIRS ((seL4_Word)FEATURES_COUNT * FEATURES_COUNT)
#define RANDOM_ATTEMPTS 500ul

/* Set by the tool. */
seL4_Word record, watch;

static seL4_Word rounds_before[VICTIMS], still[VICTIMS];
static seL4_Word attempts_before[ATTACKERS], stuck[ATTACKERS];
static seL4_Word periods;
static limen_digest_t kernel_before;

static struct record *count(void)
{
    return (struct record *)record;
}

static struct watch *report(void)
{
    return (struct watch *)watch;
}

static seL4_Word ones(const volatile seL4_Uint8 *table, seL4_Word length)
{
    seL4_Word found = 0;
    for (seL4_Word i = 0; i < length; i++) {
        found += table[i];
    }
    return found;
}

static seL4_Word pairs_seen(void)
{
    return ones(&count()->pairs[0][0], PAIRS);
}

static seL4_Word states_seen(void)
{
    return ones(&count()->states[0][0], FEATURES_COUNT * STATES_COUNT);
}

static void add_share(struct text *line, const char *what, seL4_Word part, seL4_Word whole)
{
    text_add(line, what);
    text_add_decimal(line, part);
    text_add(line, "/");
    text_add_decimal(line, whole);
}

static void print_progress(void)
{
    struct text line = TEXT_EMPTY;
    text_add(&line, "ADVERSARIES ");
    add_share(&line, "pairs ", pairs_seen(), PAIRS);
    add_share(&line, ", in states ", states_seen(), FEATURES_COUNT * STATES_COUNT);
    add_share(&line, ", attempts ", count()->attempts[MALLORY], count()->attempts[OSCAR]);
    text_add(&line, ", calls ");
    text_add_decimal(&line, count()->calls);
    text_add(&line, ", restarts ");
    text_add_decimal(&line, count()->restarts);
    text_add(&line, ", rounds of victims");
    for (int victim = 0; victim < VICTIMS; victim++) {
        text_add(&line, " ");
        text_add_decimal(&line, report()->rounds[victim]);
    }
    text_add(&line, "\n");
    print(text_terminated(&line));
}

static void check_victims(void)
{
    for (int victim = 0; victim < VICTIMS; victim++) {
        CHECK_EQUAL(report()->line[victim], 0);
        still[victim] = report()->rounds[victim] == rounds_before[victim] ? still[victim] + 1 : 0;
        rounds_before[victim] = report()->rounds[victim];
        CHECK(still[victim] < MOST_PERIODS);
    }
    CHECK_EQUAL(report()->faults, 0);
}

static void help_attackers(void)
{
    seL4_Bool any = seL4_False;
    for (int attacker = 0; attacker < ATTACKERS; attacker++) {
        seL4_Bool goes_on = count()->attempts[attacker] != attempts_before[attacker];
        stuck[attacker] = goes_on ? 0 : stuck[attacker] + 1;
        attempts_before[attacker] = count()->attempts[attacker];
        any |= stuck[attacker] >= STUCK_PERIODS;
    }
    if (any) {
        stuck[MALLORY] = stuck[OSCAR] = 0;
        microkit_notify(KEEPER);
    }
}

/* Lets the others run until the next period begins. What is left of the budget comes back in parts, because printing and
 * interrupts divide it; so the first part is not yet the next period. */
static void wait_for_period(void)
{
    static seL4_Uint64 begun;
    do {
        seL4_Yield();
    } while (limen_counter() - begun < PERIOD_CYCLES);
    begun = limen_counter();
}

/* Checks, and lets the others run until the next period begins. */
static void look_around(void)
{
    check_victims();
    help_attackers();
    if (++periods % PERIODS_PER_LINE == 0) {
        print_progress();
    }
    wait_for_period();
}

static void every_victim_makes_progress(void)
{
    seL4_Word first[VICTIMS];
    for (int victim = 0; victim < VICTIMS; victim++) {
        first[victim] = report()->rounds[victim];
    }
    for (int i = 0; i < 2 * MOST_PERIODS; i++) {
        look_around();
    }
    for (int victim = 0; victim < VICTIMS; victim++) {
        CHECK(report()->rounds[victim] > first[victim]);
    }
}

static void every_feature_follows_every_other(void)
{
    for (seL4_Word last = periods + PERIODS_PER_PAIR * PAIRS; pairs_seen() < PAIRS && periods < last;) {
        look_around();
    }
    CHECK_EQUAL(pairs_seen(), PAIRS);
}

static void every_feature_meets_every_state_of_a_child(void)
{
    const seL4_Word all = FEATURES_COUNT * STATES_COUNT;
    for (seL4_Word last = periods + PERIODS_PER_PAIR * all; states_seen() < all && periods < last;) {
        look_around();
    }
    CHECK_EQUAL(states_seen(), all);
}

#define IS_THERE(name, is_there) is_there,
static const int there[] = { FEATURES(IS_THERE) };

static void every_feature_is_granted_if_it_is_there(void)
{
    for (int feature = 0; feature < FEATURES_COUNT; feature++) {
        CHECK_EQUAL(count()->granted[feature] > 0, there[feature]);
    }
}

static void random_pairs_disturb_nobody(void)
{
    count()->at_random = 1;
    seL4_Word enough = count()->attempts[MALLORY] + count()->attempts[OSCAR] + TIMES * RANDOM_ATTEMPTS;
    seL4_Word last = periods + PERIODS_PER_PAIR * TIMES * RANDOM_ATTEMPTS;
    while (count()->attempts[MALLORY] + count()->attempts[OSCAR] < enough && periods < last) {
        look_around();
    }
    CHECK(count()->attempts[MALLORY] + count()->attempts[OSCAR] >= enough);
}

static void both_attackers_were_started_over(void)
{
    CHECK(count()->attempts[MALLORY] > 100);
    CHECK(count()->attempts[OSCAR] > 100);
    CHECK(count()->restarts > 10);
}

static void the_kernel_checks_itself_to_the_end(void)
{
    limen_key_state_t state;
    CHECK_EQUAL(limen_key_read(SELF_CHECK, &state), seL4_NoError);
    CHECK(state.enabled);
    CHECK_EQUAL(state.own, 1);
}

static void the_kernels_code_is_what_it_was(void)
{
    limen_digest_t kernel;
    CHECK_EQUAL(limen_digest(KERNEL_DIGEST, &kernel), seL4_NoError);
    for (int word = 0; word < LIMEN_DIGEST_WORDS; word++) {
        CHECK_EQUAL(kernel.words[word], kernel_before.words[word]);
    }
}

static void print_parameters(void)
{
    struct text line = TEXT_EMPTY;
    text_add(&line, "ADVERSARIES SEED=");
    text_add_hexadecimal(&line, SEED);
    text_add(&line, " TIMES=");
    text_add_decimal(&line, TIMES);
    text_add(&line, "\n");
    print(text_terminated(&line));
}

void init(void)
{
    print_parameters();
    limen_key_inc(SELF_CHECK);
    limen_digest(KERNEL_DIGEST, &kernel_before);
    RUN(every_victim_makes_progress);
    RUN(every_feature_follows_every_other);
    RUN(random_pairs_disturb_nobody);
    print_progress();
    RUN(every_feature_meets_every_state_of_a_child);
    RUN(every_feature_is_granted_if_it_is_there);
    RUN(both_attackers_were_started_over);
    RUN(the_kernel_checks_itself_to_the_end);
    RUN(the_kernels_code_is_what_it_was);
    RUN(every_victim_makes_progress);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
