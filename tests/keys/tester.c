/* Holds the keys of the system together with its child. */

#include <limen.h>

#include "branches.h"
#include "orders.h"
#include "test.h"

/* Set by the tool. */
seL4_Word orders;

#define HOLDER 0
#define CHILD 3

/* Keys, by the ids of the tester and of the holder. */
#define OFF 0
#define ON 1
#define PRINTING 2
#define TRACES_KEY 4
#define SCHEDULER 6
#define SCHED_WAKE 7
#define SCHED_CHECK 8
#define SELF_CHECK 31
#define NONE 5
#define HOLDERS_OFF 7
#define HOLDERS_ON 8
#define HOLDERS_SCHEDULER 9

extern char _start[];

static limen_key_state_t state(seL4_Word id)
{
    limen_key_state_t found = { 0 };
    CHECK_EQUAL(limen_key_read(id, &found), seL4_NoError);
    return found;
}

static void check_state(seL4_Word id, seL4_Bool enabled, seL4_Word count, seL4_Word own)
{
    limen_key_state_t found = state(id);
    CHECK_EQUAL(found.enabled, enabled);
    CHECK_EQUAL(found.count, count);
    CHECK_EQUAL(found.own, own);
}

/* The holder has a higher priority, so it has finished or faulted when the signal returns. */
static seL4_Word let_holder(enum order order, seL4_Word key)
{
    struct orders *todo = (struct orders *)orders;
    todo->order = order;
    todo->key = key;
    todo->is_done = 0;
    microkit_notify(HOLDER);
    return todo->outcome;
}

static void keys_start_as_described(void)
{
    check_state(OFF, seL4_False, 0, 0);
    check_state(ON, seL4_True, 1, 0);
}

static void a_key_is_on_while_it_is_held(void)
{
    CHECK_EQUAL(limen_key_inc(OFF), seL4_NoError);
    CHECK_EQUAL(let_holder(INC, HOLDERS_OFF), seL4_NoError);
    check_state(OFF, seL4_True, 2, 1);
    CHECK_EQUAL(limen_key_dec(OFF), seL4_NoError);
    check_state(OFF, seL4_True, 1, 0);
    CHECK_EQUAL(let_holder(DEC, HOLDERS_OFF), seL4_NoError);
    check_state(OFF, seL4_False, 0, 0);
}

static void one_program_takes_the_hold_of_the_default(void)
{
    CHECK_EQUAL(limen_key_dec(ON), seL4_NoError);
    check_state(ON, seL4_False, 0, 0);
    CHECK_EQUAL(let_holder(DEC, HOLDERS_ON), seL4_IllegalOperation);
    CHECK_EQUAL(limen_key_inc(ON), seL4_NoError);
    check_state(ON, seL4_True, 1, 0);
}

static void a_program_cannot_release_anothers_hold(void)
{
    CHECK_EQUAL(let_holder(INC, HOLDERS_OFF), seL4_NoError);
    CHECK_EQUAL(limen_key_dec(OFF), seL4_IllegalOperation);
    CHECK_EQUAL(limen_key_disable(OFF), seL4_IllegalOperation);
    CHECK_EQUAL(let_holder(DISABLE, HOLDERS_OFF), seL4_NoError);
    check_state(OFF, seL4_False, 0, 0);
}

static void enable_and_disable_refuse_keys_with_several_holds(void)
{
    CHECK_EQUAL(limen_key_enable(OFF), seL4_NoError);
    CHECK_EQUAL(limen_key_enable(OFF), seL4_NoError);
    check_state(OFF, seL4_True, 1, 1);
    CHECK_EQUAL(limen_key_inc(OFF), seL4_NoError);
    CHECK_EQUAL(limen_key_enable(OFF), seL4_IllegalOperation);
    CHECK_EQUAL(limen_key_disable(OFF), seL4_IllegalOperation);
    CHECK_EQUAL(limen_key_dec(OFF), seL4_NoError);
    CHECK_EQUAL(limen_key_disable(OFF), seL4_NoError);
    check_state(OFF, seL4_False, 0, 0);
}

static void a_key_is_held_as_often_as_there_is_room_for(void)
{
    for (int i = 0; i < LIMEN_KEY_HOLDS; i++) {
        CHECK_EQUAL(limen_key_inc(OFF), seL4_NoError);
    }
    CHECK_EQUAL(limen_key_inc(OFF), seL4_RangeError);
    CHECK_EQUAL(seL4_GetMR(1), LIMEN_KEY_HOLDS);
    for (int i = 0; i < LIMEN_KEY_HOLDS; i++) {
        CHECK_EQUAL(limen_key_dec(OFF), seL4_NoError);
    }
    check_state(OFF, seL4_False, 0, 0);
}

static void a_stopped_or_restarted_program_holds_nothing(void)
{
    CHECK_EQUAL(let_holder(INC, HOLDERS_OFF), seL4_NoError);
    CHECK_EQUAL(let_holder(DEC, HOLDERS_ON), seL4_NoError);
    check_state(ON, seL4_False, 0, 0);
    microkit_pd_stop(CHILD);
    check_state(OFF, seL4_False, 0, 0);
    check_state(ON, seL4_True, 1, 0);
    microkit_pd_restart(CHILD, (seL4_Word)_start);
    CHECK_EQUAL(let_holder(INC, HOLDERS_OFF), seL4_NoError);
    microkit_pd_restart(CHILD, (seL4_Word)_start);
    check_state(OFF, seL4_False, 0, 0);
}

static void only_what_is_granted_can_be_switched(void)
{
    limen_key_state_t found;
    CHECK_EQUAL(limen_key_inc(NONE), seL4_InvalidCapability);
    CHECK_EQUAL(limen_key_read(NONE, &found), seL4_InvalidCapability);
    CHECK_EQUAL(let_holder(INC, OFF), seL4_InvalidCapability);
}

/* Returns true if the holder can print; otherwise restarts it after its fault. */
static seL4_Word holder_prints(void)
{
    seL4_Word badge = 0;
    let_holder(PRINT, 0);
    if (((struct orders *)orders)->is_done) {
        return 1;
    }
    seL4_MessageInfo_t fault = seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
    CHECK_EQUAL(seL4_MessageInfo_get_label(fault), seL4_Fault_UnknownSyscall);
    microkit_pd_restart(CHILD, (seL4_Word)_start);
    return 0;
}

/* In debug, programs may print when the system starts, and otherwise not. */
static void keys_of_the_kernel_switch_the_kernel(void)
{
    seL4_Word before = state(PRINTING).enabled;
    CHECK_EQUAL(holder_prints(), before);
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(limen_key_enable(PRINTING), seL4_NoError);
        CHECK_EQUAL(holder_prints(), 1);
        CHECK_EQUAL(limen_key_disable(PRINTING), seL4_NoError);
        CHECK_EQUAL(holder_prints(), 0);
    }
    CHECK_EQUAL(before ? limen_key_enable(PRINTING) : limen_key_disable(PRINTING), seL4_NoError);
    /* The kernel's self-check succeeds. */
    CHECK_EQUAL(limen_key_enable(SELF_CHECK), seL4_NoError);
    CHECK_EQUAL(holder_prints(), before);
    CHECK_EQUAL(limen_key_disable(SELF_CHECK), seL4_NoError);
}

/* Programs with branches. */
#define FIRST 1
#define SECOND 2
/* Its branches load their keys, except for the one in another file. */
#define THIRD 3
#define COPIES 257

static void check_branches(microkit_channel program, seL4_Word traces, seL4_Word checks)
{
    microkit_ppcall(program, microkit_msginfo_new(0, 0));
    CHECK_EQUAL(microkit_mr_get(TRACES), traces ? COPIES : 0);
    CHECK_EQUAL(microkit_mr_get(CHECKS), checks);
    /* Keys without one of the system have their own defaults, whatever else is switched. */
    CHECK_EQUAL(microkit_mr_get(UNBOUND), 6);
}

static void branches_start_with_the_defaults_of_their_keys(void)
{
    check_branches(FIRST, 0, 1);
    check_branches(SECOND, 1, 0);
    check_branches(THIRD, 0, 1);
}

static void branches_of_one_program_follow_its_key(void)
{
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(limen_key_enable(TRACES_KEY), seL4_NoError);
        check_branches(FIRST, 1, 1);
        check_branches(SECOND, 1, 0);
        check_branches(THIRD, 1, 1);
        CHECK_EQUAL(limen_key_disable(TRACES_KEY), seL4_NoError);
        check_branches(FIRST, 0, 1);
        check_branches(THIRD, 0, 1);
    }
}

static void one_key_switches_branches_of_two_programs(void)
{
    CHECK_EQUAL(limen_key_dec(ON), seL4_NoError);
    check_branches(FIRST, 0, 0);
    check_branches(SECOND, 0, 0);
    check_branches(THIRD, 0, 0);
    CHECK_EQUAL(limen_key_inc(ON), seL4_NoError);
    CHECK_EQUAL(let_holder(INC, HOLDERS_OFF), seL4_NoError);
    check_branches(FIRST, 0, 1);
    check_branches(SECOND, 1, 1);
}

static void branches_go_back_when_the_holder_stops(void)
{
    microkit_pd_restart(CHILD, (seL4_Word)_start);
    check_branches(SECOND, 1, 0);
}

static void check_elements(seL4_Word second, seL4_Word third)
{
    microkit_ppcall(SECOND, microkit_msginfo_new(0, 0));
    CHECK_EQUAL(microkit_mr_get(ELEMENTS), second);
    microkit_ppcall(THIRD, microkit_msginfo_new(0, 0));
    CHECK_EQUAL(microkit_mr_get(ELEMENTS), third);
    /* Nothing is bound there. */
    microkit_ppcall(FIRST, microkit_msginfo_new(0, 0));
    CHECK_EQUAL(microkit_mr_get(ELEMENTS), 24);
}

static void elements_of_arrays_follow_their_keys(void)
{
    check_elements(24, 24);
    CHECK_EQUAL(limen_key_inc(SCHED_WAKE), seL4_NoError);
    check_elements(26, 26);
    /* The second program binds both elements of an array that is on by default, the third one only the second element. */
    CHECK_EQUAL(limen_key_dec(SCHED_CHECK), seL4_NoError);
    check_elements(2, 10);
    CHECK_EQUAL(limen_key_inc(SCHED_CHECK), seL4_NoError);
    CHECK_EQUAL(limen_key_dec(SCHED_WAKE), seL4_NoError);
    check_elements(24, 24);
}

static void a_group_switches_all_of_its_keys(void)
{
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(limen_key_enable(SCHEDULER), seL4_NoError);
        check_elements(27, 27);
        check_state(SCHEDULER, seL4_True, 1, 1);
        check_state(SCHED_WAKE, seL4_True, 0, 0);
        CHECK_EQUAL(limen_key_disable(SCHEDULER), seL4_NoError);
        check_elements(24, 24);
        check_state(SCHED_WAKE, seL4_False, 0, 0);
    }
}

static void a_key_is_on_while_it_or_its_group_is_held(void)
{
    CHECK_EQUAL(limen_key_inc(SCHEDULER), seL4_NoError);
    CHECK_EQUAL(limen_key_inc(SCHED_WAKE), seL4_NoError);
    CHECK_EQUAL(limen_key_dec(SCHED_CHECK), seL4_NoError);
    check_elements(27, 27);
    CHECK_EQUAL(limen_key_dec(SCHEDULER), seL4_NoError);
    check_elements(2, 10);
    CHECK_EQUAL(limen_key_inc(SCHED_CHECK), seL4_NoError);
    CHECK_EQUAL(limen_key_dec(SCHED_WAKE), seL4_NoError);
    check_elements(24, 24);
}

static void a_stopped_program_releases_its_group(void)
{
    CHECK_EQUAL(let_holder(INC, HOLDERS_SCHEDULER), seL4_NoError);
    check_elements(27, 27);
    CHECK_EQUAL(limen_key_dec(SCHEDULER), seL4_IllegalOperation);
    microkit_pd_restart(CHILD, (seL4_Word)_start);
    check_elements(24, 24);
}

#define DELAY 10

static void check_late(limen_key_deferred_t *late, seL4_Bool is_on, seL4_Bool is_due, seL4_Word due)
{
    seL4_Word found = 0;
    CHECK_EQUAL(limen_key_deferred_due(late, &found), is_due);
    if (is_due) {
        CHECK_EQUAL(found, due);
    }
    check_state(OFF, is_on, is_on ? 1 : 0, is_on ? 1 : 0);
}

static void a_late_hold_is_released_when_it_is_due(void)
{
    /* The clock wraps around in between. */
    seL4_Word start = (seL4_Word)0 - 5;
    limen_key_deferred_t late = LIMEN_KEY_DEFERRED(OFF, DELAY);
    CHECK_EQUAL(limen_key_deferred_dec(&late, start), seL4_IllegalOperation);
    CHECK_EQUAL(limen_key_deferred_inc(&late), seL4_NoError);
    CHECK_EQUAL(limen_key_deferred_inc(&late), seL4_NoError);
    CHECK_EQUAL(limen_key_deferred_dec(&late, start), seL4_NoError);
    CHECK_EQUAL(limen_key_deferred_flush(&late, start + DELAY), seL4_NoError);
    check_late(&late, seL4_True, seL4_False, 0);
    CHECK_EQUAL(limen_key_deferred_dec(&late, start), seL4_NoError);
    CHECK_EQUAL(limen_key_deferred_dec(&late, start), seL4_IllegalOperation);
    CHECK_EQUAL(limen_key_deferred_flush(&late, start + DELAY - 1), seL4_NoError);
    check_late(&late, seL4_True, seL4_True, start + DELAY);
    /* Holding it again costs no system call, and cancels the release. */
    CHECK_EQUAL(limen_key_deferred_inc(&late), seL4_NoError);
    CHECK_EQUAL(limen_key_deferred_flush(&late, start + DELAY), seL4_NoError);
    check_late(&late, seL4_True, seL4_False, 0);
    CHECK_EQUAL(limen_key_deferred_dec(&late, start + 1), seL4_NoError);
    CHECK_EQUAL(limen_key_deferred_flush(&late, start + 1 + DELAY), seL4_NoError);
    check_late(&late, seL4_False, seL4_False, 0);
    CHECK_EQUAL(limen_key_deferred_inc(&late), seL4_NoError);
    CHECK_EQUAL(limen_key_deferred_release(&late), seL4_NoError);
    check_late(&late, seL4_True, seL4_False, 0);
    CHECK_EQUAL(limen_key_deferred_dec(&late, start), seL4_NoError);
    CHECK_EQUAL(limen_key_deferred_release(&late), seL4_NoError);
    check_late(&late, seL4_False, seL4_False, 0);
    limen_key_deferred_t none = LIMEN_KEY_DEFERRED(NONE, DELAY);
    CHECK_EQUAL(limen_key_deferred_inc(&none), seL4_InvalidCapability);
    CHECK_EQUAL(limen_key_deferred_dec(&none, start), seL4_IllegalOperation);
}

void init(void)
{
    RUN(a_late_hold_is_released_when_it_is_due);
    RUN(elements_of_arrays_follow_their_keys);
    RUN(a_group_switches_all_of_its_keys);
    RUN(a_key_is_on_while_it_or_its_group_is_held);
    RUN(a_stopped_program_releases_its_group);
    RUN(branches_start_with_the_defaults_of_their_keys);
    RUN(branches_of_one_program_follow_its_key);
    RUN(one_key_switches_branches_of_two_programs);
    RUN(branches_go_back_when_the_holder_stops);
    RUN(keys_start_as_described);
    RUN(a_key_is_on_while_it_is_held);
    RUN(one_program_takes_the_hold_of_the_default);
    RUN(a_program_cannot_release_anothers_hold);
    RUN(enable_and_disable_refuse_keys_with_several_holds);
    RUN(a_key_is_held_as_often_as_there_is_room_for);
    RUN(a_stopped_or_restarted_program_holds_nothing);
    RUN(only_what_is_granted_can_be_switched);
    RUN(keys_of_the_kernel_switch_the_kernel);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}

seL4_Bool fault(microkit_child child, microkit_msginfo msginfo, microkit_msginfo *reply_msginfo)
{
    (void)child;
    (void)msginfo;
    (void)reply_msginfo;
    return seL4_False;
}
