/* Causes events while its registers hold values that no other program has. */

#include "held.h"
#include "test.h"

#define COLLECTOR 3

#define ROUNDS 200
#define PREEMPTIONS 30

/* A word shared by the programs of this priority; set by the tool. */
seL4_Word turn;
/* The same for each worker and a program of another domain. */
seL4_Word other_turn;

static struct held held;
static seL4_Word seed;

static void repeat(hold_t hold, seL4_Word used, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        seed += 0x1000;
        held_fill(&held, seed);
        *held.turn = held.own;
        hold(&held);
        CHECK_EQUAL(held_count_changed(&held, used), 0);
    }
}

static void registers_stay_without_an_event(void)
{
    repeat(hold_nothing, USED_BY_NOTHING, ROUNDS);
}

static void preemption_keeps_registers(void)
{
    repeat(hold_preemption, USED_BY_PREEMPTION, PREEMPTIONS);
}

static void yielding_keeps_registers(void)
{
    repeat(hold_yield, USED_BY_YIELD, PREEMPTIONS);
}

static void a_signal_keeps_registers(void)
{
    repeat(hold_signal, USED_BY_SIGNAL, ROUNDS);
}

static void a_call_keeps_registers(void)
{
    repeat(hold_call, USED_BY_CALL, ROUNDS);
    repeat(hold_long_call, USED_BY_CALL, ROUNDS);
}

/* Computes digests until the given number of them were preempted, which the word set by another program shows. */
static void work_of_the_kernel_keeps_registers(void)
{
    for (int preempted = 0; preempted < PREEMPTIONS;) {
        repeat(hold_service, USED_BY_CALL, 1);
        preempted += *held.turn != held.own;
    }
}

/* Only a program of the other domain sets this word. */
static void changing_domains_keeps_registers(void)
{
    held.turn = (volatile seL4_Word *)other_turn;
    repeat(hold_preemption, USED_BY_PREEMPTION, PREEMPTIONS);
    held.turn = (volatile seL4_Word *)turn;
}

static void a_fault_keeps_registers(void)
{
    repeat(hold_fault, USED_BY_NOTHING, ROUNDS);
}

void init(void)
{
    held.turn = (volatile seL4_Word *)turn;
    held.own = seed = (seL4_Word)microkit_name[0];
    RUN_FOR(microkit_name, registers_stay_without_an_event);
    RUN_FOR(microkit_name, preemption_keeps_registers);
    RUN_FOR(microkit_name, yielding_keeps_registers);
    RUN_FOR(microkit_name, a_signal_keeps_registers);
    RUN_FOR(microkit_name, a_call_keeps_registers);
    RUN_FOR(microkit_name, a_fault_keeps_registers);
    RUN_FOR(microkit_name, work_of_the_kernel_keeps_registers);
    RUN_FOR(microkit_name, changing_domains_keeps_registers);
    microkit_notify(COLLECTOR);
}

void notified(microkit_channel ch)
{
    (void)ch;
}
