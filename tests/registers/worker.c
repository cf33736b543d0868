/* Lets things happen while its registers hold values that nobody else has. */

#include "held.h"
#include "test.h"

#define COLLECTOR 3

#define ROUNDS 200
#define PREEMPTIONS 30

/* Registers that an event uses. */
#define NONE 0ul
#define X0_X1 0x3ul
#define X7 0x80ul
#define X0_X1_X7 0x83ul
#define X0_TO_X5_X7 0xbful

/* A word shared by the programs of this priority; set by the tool. */
seL4_Word turn;

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

static void nothing_changes_by_itself(void)
{
    repeat(hold_nothing, NONE, ROUNDS);
}

static void preemption_keeps_registers(void)
{
    repeat(hold_preemption, X0_X1, PREEMPTIONS);
}

static void yielding_keeps_registers(void)
{
    repeat(hold_yield, X7, PREEMPTIONS);
}

static void a_signal_keeps_registers(void)
{
    repeat(hold_signal, X0_X1_X7, ROUNDS);
}

static void a_call_keeps_registers(void)
{
    repeat(hold_call, X0_TO_X5_X7, ROUNDS);
    repeat(hold_long_call, X0_TO_X5_X7, ROUNDS);
}

static void a_fault_keeps_registers(void)
{
    repeat(hold_fault, NONE, ROUNDS);
}

void init(void)
{
    held.turn = (volatile seL4_Word *)turn;
    held.own = seed = (seL4_Word)microkit_name[0];
    RUN_FOR(microkit_name, nothing_changes_by_itself);
    RUN_FOR(microkit_name, preemption_keeps_registers);
    RUN_FOR(microkit_name, yielding_keeps_registers);
    RUN_FOR(microkit_name, a_signal_keeps_registers);
    RUN_FOR(microkit_name, a_call_keeps_registers);
    RUN_FOR(microkit_name, a_fault_keeps_registers);
    microkit_notify(COLLECTOR);
}

void notified(microkit_channel ch)
{
    (void)ch;
}
