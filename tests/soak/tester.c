/* Waits until all walkers are done, and compares what all programs have counted. */

#include <limen.h>

#include "shared.h"
#include "print.h"
#include "test.h"
#include "text.h"

seL4_Word shared;

/* The key that all walkers switch. */
#define KEY 0

/* Rounds of all walkers between two lines of the console. */
#define ROUNDS_OF_A_LINE 20000

static struct walker *walker(seL4_Word number)
{
    return &all()->walkers[number];
}

static struct keeper *keeper(seL4_Word number)
{
    return &all()->keepers[number];
}

#define EACH(number, limit) for (seL4_Word number = 0; number < (limit); number++)

static void add_count(struct text *line, const char *separator, seL4_Word number, const char *what)
{
    text_add(line, separator);
    text_add_decimal(line, number);
    text_add(line, what);
}

static void print_seed(void)
{
    struct text line = TEXT_EMPTY;
    text_add(&line, "seed ");
    text_add_hexadecimal(&line, SEED);
    add_count(&line, ", ", ROUNDS, " rounds of each walker\n");
    print(text_terminated(&line));
}

/* `./x soak` adds up these lines. */
static void print_counts(void)
{
    struct {
        seL4_Word rounds, answered, repeated, signals, received, reports, stops, restarts, switched, held;
    } sum = { 0 };
    EACH(i, WALKERS) {
        sum.rounds += load(&walker(i)->rounds);
        sum.switched += load(&walker(i)->switched);
        sum.held += load(&walker(i)->held);
        EACH(server, SERVERS) {
            sum.answered += load(&walker(i)->answered[server]);
        }
        EACH(other, WALKERS) {
            sum.signals += load(&walker(i)->signalled[other]);
            sum.received += load(&walker(i)->received[other]);
        }
        sum.reports += load(&keeper(i)->reports);
        sum.stops += load(&keeper(i)->stops);
        sum.restarts += load(&keeper(i)->restarts);
    }
    EACH(server, SERVERS) {
        sum.repeated += load(&all()->servers[server].repeated);
    }
    struct text line = TEXT_EMPTY;
    add_count(&line, "counts: ", sum.rounds, " rounds");
    add_count(&line, ", ", sum.answered, " calls");
    add_count(&line, ", ", sum.repeated, " repeated calls");
    add_count(&line, ", ", sum.signals, " signals");
    add_count(&line, ", ", sum.received, " received signals");
    add_count(&line, ", ", sum.reports, " faults");
    add_count(&line, ", ", sum.stops, " stops");
    add_count(&line, ", ", sum.restarts, " restarts");
    add_count(&line, ", ", sum.switched, " key switches");
    add_count(&line, ", ", sum.held, " comparisons of all registers\n");
    print(text_terminated(&line));
}

static void wait_for_walkers(void)
{
    seL4_Word next = ROUNDS_OF_A_LINE;
    for (;;) {
        seL4_Word done = 0, rounds = 0;
        EACH(i, WALKERS) {
            done += load(&walker(i)->is_done);
            rounds += load(&walker(i)->rounds);
        }
        if (done == WALKERS) {
            return;
        }
        if (rounds >= next) {
            next += ROUNDS_OF_A_LINE;
            print_counts();
        }
        wait_for_signals();
    }
}

static void every_call_is_answered(void)
{
    EACH(i, WALKERS) {
        EACH(server, DIRECT_SERVERS) {
            CHECK_EQUAL(load(&all()->servers[server].last[0][i]), load(&walker(i)->answered[server]));
        }
        CHECK_EQUAL(load(&all()->servers[7].last[1][i]), load(&walker(i)->answered[8]));
        CHECK_EQUAL(load(&all()->servers[0].last[1][i]), load(&walker(i)->answered[9]));
    }
}

static void every_message_has_its_words(void)
{
    EACH(i, WALKERS) {
        CHECK_EQUAL(walker(i)->wrong_answers, 0);
    }
    EACH(server, SERVERS) {
        CHECK_EQUAL(all()->servers[server].wrong_calls, 0);
    }
}

static void every_question_is_seen(void)
{
    EACH(i, WALKERS) {
        EACH(other, WALKERS) {
            CHECK_EQUAL(load(&walker(other)->seen[i]), load(&walker(i)->asked[other]));
        }
    }
}

static void no_signal_arrives_twice(void)
{
    EACH(i, WALKERS) {
        EACH(other, WALKERS) {
            CHECK(load(&walker(other)->received[i]) <= load(&walker(i)->signalled[other]));
        }
    }
}

static void every_fault_reaches_the_parent(void)
{
    EACH(i, WALKERS) {
        CHECK_EQUAL(load(&keeper(i)->faults), load(&walker(i)->faults));
        CHECK(load(&keeper(i)->undefined) >= load(&walker(i)->undefined));
        CHECK_EQUAL(keeper(i)->wrong_reports, 0);
    }
}

static void every_stop_and_restart_takes_effect(void)
{
    EACH(i, WALKERS) {
        CHECK_EQUAL(keeper(i)->moved, 0);
        CHECK_EQUAL(keeper(i)->errors, 0);
        CHECK(load(&walker(i)->lives) <= load(&keeper(i)->restarts));
    }
}

static void every_switch_of_a_key_takes_effect(void)
{
    limen_key_state_t state;
    EACH(i, WALKERS) {
        CHECK_EQUAL(walker(i)->wrong_keys, 0);
    }
    CHECK_EQUAL(limen_key_read(KEY, &state), seL4_NoError);
    CHECK_EQUAL(state.count, 0);
}

static void registers_stay(void)
{
    EACH(i, WALKERS) {
        CHECK_EQUAL(walker(i)->wrong_registers, 0);
        CHECK_EQUAL(walker(i)->wrong_fpu, 0);
        CHECK_EQUAL(keeper(i)->wrong_fpu, 0);
    }
    EACH(server, SERVERS) {
        CHECK_EQUAL(all()->servers[server].wrong_fpu, 0);
    }
}

static void memory_stays(void)
{
    EACH(i, WALKERS) {
        CHECK_EQUAL(walker(i)->wrong_memory, 0);
    }
}

void init(void)
{
    print_seed();
    wait_for_walkers();
    print_counts();
    RUN(every_call_is_answered);
    RUN(every_message_has_its_words);
    RUN(every_question_is_seen);
    RUN(no_signal_arrives_twice);
    RUN(every_fault_reaches_the_parent);
    RUN(every_stop_and_restart_takes_effect);
    RUN(every_switch_of_a_key_takes_effect);
    RUN(registers_stay);
    RUN(memory_stays);
    suite_end();
}

void notified(microkit_channel channel)
{
    (void)channel;
}
