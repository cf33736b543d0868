/* Runs on processor 0 and switches keys while programs on all others execute the branches. */

#include <limen.h>
#include <limen/static_key.h>

#include "shared.h"
#include "test.h"

seL4_Word shared;

#define TRACES 0
#define PRINTING 1
#define SELF_CHECK 2
#define HELD 3
#define RIVALLED 4

#define HOLDER 5
#define FAULT_OF(child) (1ul << 62 | (child))
#define ENTRY 0x200000
#define ROUNDS 8
#define SIGNAL_OF(number) ((microkit_channel)(number))
#define CALL_OF(number) ((microkit_channel)(10 + (number)))

static LIMEN_STATIC_KEY_FALSE(held);

static seL4_Word changes;

static void set_state(seL4_Word state)
{
    changes++;
    store(&all()->state, changes * 4 + state);
}

/* Waits until every passer has passed the branches in the state as it is now. */
static void wait_for_passes(void)
{
    for (seL4_Word number = 1; number < PROCESSORS; number++) {
        while (load(&all()->passed[number]) != all()->state) {
        }
    }
}

static seL4_Word all_wrong(void)
{
    seL4_Word wrong = 0;
    for (seL4_Word number = 1; number < PROCESSORS; number++) {
        wrong += load(&all()->wrong[number]);
    }
    return wrong;
}

static void every_passer_sees_the_new_state_when_a_change_returns(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        set_state(CHANGING);
        CHECK_EQUAL(limen_key_inc(TRACES), seL4_NoError);
        set_state(ON);
        wait_for_passes();
        set_state(CHANGING);
        CHECK_EQUAL(limen_key_dec(TRACES), seL4_NoError);
        set_state(OFF);
        wait_for_passes();
    }
    CHECK_EQUAL(all_wrong(), 0);
}

/* Without waiting, changes follow each other while passers are anywhere. */
static void changes_follow_each_other(void)
{
    set_state(CHANGING);
    for (int round = 0; round < ROUNDS; round++) {
        CHECK_EQUAL(limen_key_inc(TRACES), seL4_NoError);
        CHECK_EQUAL(limen_key_dec(TRACES), seL4_NoError);
    }
    set_state(OFF);
    wait_for_passes();
    CHECK_EQUAL(all_wrong(), 0);
}

/* Passers enter the kernel all the time. */
static void the_kernels_branches_change_while_all_execute_them(void)
{
    limen_key_state_t printing;
    CHECK_EQUAL(limen_key_read(PRINTING, &printing), seL4_NoError);
    store(&all()->calls, 1);
    for (int round = 0; round < ROUNDS; round++) {
        CHECK_EQUAL(limen_key_enable(SELF_CHECK), seL4_NoError);
        set_state(OFF);
        wait_for_passes();
        CHECK_EQUAL(printing.enabled ? limen_key_disable(PRINTING) : limen_key_enable(PRINTING), seL4_NoError);
        CHECK_EQUAL(limen_key_disable(SELF_CHECK), seL4_NoError);
        set_state(OFF);
        wait_for_passes();
        CHECK_EQUAL(printing.enabled ? limen_key_enable(PRINTING) : limen_key_disable(PRINTING), seL4_NoError);
    }
    CHECK_EQUAL(all_wrong(), 0);
}

/* Two programs on different processors switch one key while this one switches another. */
static void programs_of_several_processors_switch_keys_at_once(void)
{
    limen_key_state_t state;
    set_state(CHANGING);
    for (seL4_Word number = 1; number <= 2; number++) {
        store(&all()->wanted[number], ROUNDS);
        microkit_notify(SIGNAL_OF(number));
    }
    seL4_Word rounds = 0;
    while (load(&all()->made[1]) < ROUNDS || load(&all()->made[2]) < ROUNDS || rounds < ROUNDS) {
        CHECK_EQUAL(limen_key_inc(TRACES), seL4_NoError);
        CHECK_EQUAL(limen_key_dec(TRACES), seL4_NoError);
        rounds++;
    }
    set_state(OFF);
    wait_for_passes();
    CHECK_EQUAL(all_wrong() + load(&all()->rival_wrong), 0);
    CHECK_EQUAL(limen_key_read(RIVALLED, &state), seL4_NoError);
    CHECK_EQUAL(state.count, 0);
}

static void probes_sample_on_other_processors(void)
{
    for (seL4_Word number = 1; number <= 2; number++) {
        microkit_msginfo answer = microkit_ppcall(CALL_OF(number), microkit_msginfo_new(0, 0));
        CHECK_EQUAL(microkit_msginfo_get_label(answer), 0);
    }
}

/* Waits until the key of the holder is off, or on. All branches follow a key that is on; one that turns off may still have some
 * that do not, because the stop does not wait for them. */
static void wait_for_held(seL4_Bool enabled)
{
    limen_key_state_t state;
    do {
        CHECK_EQUAL(limen_key_read(HELD, &state), seL4_NoError);
    } while (state.enabled != enabled);
    while (!enabled && limen_static_branch_unlikely(held)) {
    }
    CHECK_EQUAL(limen_static_branch_unlikely(held) ? 1u : 0u, enabled);
}

static void a_stopped_program_on_another_processor_releases_its_holds(void)
{
    microkit_notify(SIGNAL_OF(3));
    while (!load(&all()->is_done)) {
    }
    wait_for_held(seL4_True);
    microkit_pd_stop(HOLDER);
    wait_for_held(seL4_False);
}

/* The program is restarted and stopped anywhere in a change. */
static void a_program_is_stopped_while_it_changes_a_key(void)
{
    limen_key_state_t state;
    store(&all()->holder_changes, 1);
    for (int round = 0; round < ROUNDS; round++) {
        store(&all()->is_done, 0);
        microkit_pd_restart(HOLDER, ENTRY);
        while (!load(&all()->is_done)) {
        }
        /* Different lengths of time, without a clock. */
        for (int i = 0; i < round; i++) {
            CHECK_EQUAL(limen_key_read(HELD, &state), seL4_NoError);
        }
        microkit_pd_stop(HOLDER);
        wait_for_held(seL4_False);
        CHECK_EQUAL(limen_key_read(HELD, &state), seL4_NoError);
        CHECK_EQUAL(state.count, 0);
    }
}

/* The kernel tells it from those that it writes itself while a branch changes. It must not print the faults: they would mix with
 * the lines of this program. */
static void a_breakpoint_of_a_program_is_a_fault_while_keys_change(void)
{
    limen_key_state_t printing;
    CHECK_EQUAL(limen_key_read(PRINTING, &printing), seL4_NoError);
    CHECK_EQUAL(printing.enabled ? limen_key_disable(PRINTING) : seL4_NoError, seL4_NoError);
    store(&all()->holder_changes, 0);
    store(&all()->wanted[1], ~0ul);
    microkit_notify(SIGNAL_OF(1));
    seL4_Word number = 0;
    for (int round = 0; round < ROUNDS; round++) {
        seL4_Word badge, made = load(&all()->made[1]);
        store(&all()->holder_breaks, USUAL + (seL4_Word)(round % KINDS));
        microkit_pd_restart(HOLDER, ENTRY);
        seL4_MessageInfo_t fault;
        do {
            fault = seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
        } while (badge != FAULT_OF(HOLDER));
        CHECK_EQUAL(seL4_MessageInfo_get_label(fault), seL4_Fault_UserException);
        /* The same exception each time. */
        number = round ? number : seL4_GetMR(seL4_UserException_Number);
        CHECK_EQUAL(seL4_GetMR(seL4_UserException_Number), number);
        microkit_pd_stop(HOLDER);
        while (load(&all()->made[1]) == made) {
        }
    }
    store(&all()->wanted[1], 0);
    CHECK_EQUAL(printing.enabled ? limen_key_enable(PRINTING) : seL4_NoError, seL4_NoError);
}

void init(void)
{
    set_state(OFF);
    RUN(every_passer_sees_the_new_state_when_a_change_returns);
    RUN(changes_follow_each_other);
    RUN(the_kernels_branches_change_while_all_execute_them);
    RUN(programs_of_several_processors_switch_keys_at_once);
    RUN(probes_sample_on_other_processors);
    RUN(a_stopped_program_on_another_processor_releases_its_holds);
    RUN(a_program_is_stopped_while_it_changes_a_key);
    RUN(a_breakpoint_of_a_program_is_a_fault_while_keys_change);
    suite_end();
}

void notified(microkit_channel channel)
{
    (void)channel;
}
