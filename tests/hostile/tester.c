/* Watches over itself and its servers while the hostile program attacks.
 *
 * Both have the same priority, and the tester yields after every check, so that the hostile program runs in between. If the
 * hostile program makes no attempt, it is blocked, and the keeper restarts it. */

#include "attack.h"
#include "print.h"
#include "random.h"
#include "test.h"
#include "text.h"

#define ACTIVE 0
#define PASSIVE 1
#define KEEPER 2
#define SPONGE 5
#define LOWER 6

#define CANARIES 512
#define WORDS 12

/* Rounds that an attack may take: in every second one at least, it makes an attempt. */
#define MOST_ROUNDS(attempts) (3 * (attempts) + 1000)

/* Set by the tool. */
seL4_Word attack_state;
seL4_Word own_memory;

static volatile seL4_Word canaries[CANARIES];
static seL4_Word round;

/* The attack of the next test. */
static enum attack attack;
static seL4_Word attempts;

static struct attack_state *shared(void)
{
    return (struct attack_state *)attack_state;
}

static seL4_Word canary(seL4_Word i)
{
    return (i + round) * 0x9e3779b97f4a7c15ul;
}

static void plant_canaries(void)
{
    for (seL4_Word i = 0; i < CANARIES; i++) {
        canaries[i] = canary(i);
        ((volatile seL4_Word *)own_memory)[i] = ~canary(i);
    }
}

static void check_canaries(void)
{
    for (seL4_Word i = 0; i < CANARIES; i++) {
        CHECK_EQUAL(canaries[i], canary(i));
        CHECK_EQUAL(((volatile seL4_Word *)own_memory)[i], ~canary(i));
    }
}

static void check_server(microkit_channel server)
{
    for (seL4_Word i = 0; i < WORDS; i++) {
        microkit_mr_set((seL4_Uint8)i, canary(i));
    }
    microkit_msginfo answer = microkit_ppcall(server, microkit_msginfo_new(round, WORDS));
    CHECK_EQUAL(microkit_msginfo_get_label(answer), round);
    CHECK_EQUAL(microkit_msginfo_get_count(answer), WORDS);
    for (seL4_Word i = 0; i < WORDS; i++) {
        CHECK_EQUAL(microkit_mr_get((seL4_Uint8)i), canary(i) + 1);
    }
}

static void look_around(void)
{
    check_canaries();
    check_server(ACTIVE);
    check_server(PASSIVE);
    round++;
    plant_canaries();
}

/* Lets the hostile program make attempts, and has it restarted if it makes none. */
static void let_attack(void)
{
    seL4_Word before = shared()->attempts;
    seL4_Yield();
    seL4_Yield();
    if (shared()->attempts == before) {
        microkit_notify(KEEPER);
    }
}

/* A program that stays silent for this long counts as dead. */
#define ATTEMPTS_PER_LINE 5000

static void print_progress(seL4_Word *lines)
{
    if (shared()->attempts / ATTEMPTS_PER_LINE != *lines) {
        *lines = shared()->attempts / ATTEMPTS_PER_LINE;
        print("HOSTILE goes on\n");
    }
}

static void does_not_disturb_others(void)
{
    seL4_Word lines = 0;
    shared()->attack = attack;
    shared()->attempts = 0;
    seL4_Word last = round + MOST_ROUNDS(attempts);
    while (shared()->attempts < attempts && round < last) {
        look_around();
        let_attack();
        print_progress(&lines);
    }
    CHECK(shared()->attempts >= attempts);
}

static void run_attack(const char *name, enum attack next, seL4_Word times)
{
    attack = next;
    attempts = TIMES * times;
    RUN_FOR(name, does_not_disturb_others);
}

static void the_hostile_program_was_restarted(void)
{
    CHECK(shared()->restarts > 1000);
}

static void notifications_still_arrive(void)
{
    microkit_notify(SPONGE);
    CHECK_EQUAL(wait_for_signals() & (1ul << SPONGE), 1ul << SPONGE);
}

/* The hostile program, too, which now waits: so the one with the lowest priority runs. */
static void faults_are_still_handled(void)
{
    seL4_Word restarts = shared()->restarts;
    shared()->attack = ATTACK_FAULT;
    microkit_notify(KEEPER);
    microkit_notify(LOWER);
    CHECK_EQUAL(wait_for_signals() & (1ul << LOWER), 1ul << LOWER);
    CHECK_EQUAL(shared()->attack, ATTACK_REST);
    CHECK_EQUAL(shared()->restarts, restarts + 2);
}

static void no_client_is_served_on_the_donors_budget(void)
{
    seL4_CPtr donors_time = microkit_cspace_root_slot_to_cptr(1);
    seL4_SchedContext_Consumed(donors_time);
    for (int i = 0; i < 10; i++) {
        look_around();
    }
    CHECK_EQUAL(seL4_SchedContext_Consumed(donors_time).consumed, 0);
}

static void all_is_well_at_the_end(void)
{
    for (int i = 0; i < 1000; i++) {
        look_around();
    }
}

static void all_is_well_at_the_start(void)
{
    for (int i = 0; i < 10; i++) {
        look_around();
    }
}

static void print_parameters(void)
{
    struct text line = TEXT_EMPTY;
    text_add(&line, "HOSTILE SEED=");
    text_add_hexadecimal(&line, SEED);
    text_add(&line, " TIMES=");
    text_add_decimal(&line, TIMES);
    text_add(&line, "\n");
    print(text_terminated(&line));
}

void init(void)
{
    print_parameters();
    plant_canaries();
    RUN(all_is_well_at_the_start);
    RUN(no_client_is_served_on_the_donors_budget);
    run_attack("every_slot", ATTACK_SLOTS, 600 * 11);
    run_attack("random_methods", ATTACK_METHODS, 20000);
    run_attack("random_registers", ATTACK_REGISTERS, 40000);
    run_attack("its_own_child", ATTACK_CHILD, 10000);
    run_attack("random_addresses", ATTACK_ADDRESSES, 5000);
    run_attack("random_instructions", ATTACK_INSTRUCTIONS, 5000);
    RUN(the_hostile_program_was_restarted);
    RUN(notifications_still_arrive);
    RUN(faults_are_still_handled);
    RUN(all_is_well_at_the_end);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
