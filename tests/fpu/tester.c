/* Counts the kernel's saves and restores, and looks for values that are not its own. */

#include <limen.h>

#include "instructions.h"
#include "orders.h"
#include "print.h"
#include "random.h"
#include "recorded.h"
#include "state.h"
#include "test.h"
#include "turns.h"

#define CHAIN 1
#define PEER 2
#define PASSIVE_PEER 3
#define CULPRIT_CHANNEL 4
#define CULPRIT 0
#define CULPRIT_TCB (BASE_TCB_CAP + CULPRIT)
#define DISTURBER_TCB (BASE_TCB_CAP + 1)
#define SPENDER 2
#define SPENDER_TCB (BASE_TCB_CAP + SPENDER)

/* Threads, in the order of the description. */
enum { TESTER_THREAD = 1, PEER_THREAD = 7 };

/* Events of the stress test under each policy: at least two changes of thread each, so ten thousand in all. */
#define EVENTS (1250 * TIMES)
/* Of each kind that takes time to happen. */
#define TURNS (5 * TIMES)
/* Events between two signs of life. */
#define EVENTS_PER_LINE 100000

/* Memory shared with the child and the disturber; set by the tool. */
seL4_Word orders;
seL4_Word turns;

static struct state written;
static struct state found;
static limen_fpu_counters_t before;

static struct orders *child(void)
{
    return (struct orders *)orders;
}

static microkit_msginfo call(microkit_channel ch)
{
    return microkit_ppcall(ch, microkit_msginfo_new(0, 0));
}

static void start_counting(void)
{
    CHECK_EQUAL(limen_fpu_counters(&before), seL4_NoError);
}

static void check_counts(seL4_Word saves, seL4_Word loads, seL4_Word enables, seL4_Word disables, seL4_Word faults)
{
    limen_fpu_counters_t now;
    CHECK_EQUAL(limen_fpu_counters(&now), seL4_NoError);
    CHECK_EQUAL(now.saves - before.saves, saves);
    CHECK_EQUAL(now.loads - before.loads, loads);
    CHECK_EQUAL(now.enables - before.enables, enables);
    CHECK_EQUAL(now.disables - before.disables, disables);
    CHECK_EQUAL(now.faults - before.faults, faults);
}

/* The tester's registers are in the unit, whatever the policy. */
static void own_unit(void)
{
    state_fill(&written);
    state_write(&written);
}

static void check_registers(void)
{
    state_read(&found);
    CHECK(state_equal(&written, &found));
}

static void registers_are_initial_at_first(void)
{
    state_read(&found);
    state_initial(&written);
    CHECK(state_equal(&written, &found));
}

/* RFC: from a thread with the unit through two without it, and back. */
static void a_chain_without_the_unit_moves_nothing(void)
{
    own_unit();
    start_counting();
    call(CHAIN);
    check_counts(0, 0, 1, 1, 0);
    check_registers();
}

static void a_thousand_chains_move_nothing(void)
{
    own_unit();
    start_counting();
    for (int i = 0; i < 1000; i++) {
        call(CHAIN);
    }
    check_counts(0, 0, 1000, 1000, 0);
    check_registers();
}

static void users_exchange_once_each_way(void)
{
    own_unit();
    start_counting();
    for (int i = 0; i < 100; i++) {
        call(PEER);
    }
    CHECK_EQUAL(microkit_mr_get(0), 0);
    check_counts(200, 200, 0, 0, 0);
    check_registers();
}

static void set_policy(limen_fpu_policy_t policy, seL4_Word options)
{
    CHECK_EQUAL(limen_fpu_set_policy(policy, options), seL4_NoError);
    own_unit();
}

static void eager_moves_at_every_switch(void)
{
    set_policy(LIMEN_FPU_EAGER, 0);
    start_counting();
    call(CHAIN);
    check_counts(4, 4, 3, 3, 0);
    start_counting();
    call(PEER);
    check_counts(2, 2, 0, 0, 0);
    check_registers();
}

static void fault_lazy_moves_at_every_first_use(void)
{
    set_policy(LIMEN_FPU_FAULT_LAZY, 0);
    start_counting();
    call(CHAIN);
    check_counts(0, 0, 1, 1, 0);
    start_counting();
    call(PEER);
    check_registers();
    check_counts(2, 2, 2, 2, 2);
}

static void early_save_saves_before_the_chain(void)
{
    set_policy(LIMEN_FPU_EARLY_SAVE, 0);
    start_counting();
    call(CHAIN);
    check_counts(1, 1, 1, 1, 0);
    start_counting();
    call(PEER);
    check_counts(2, 2, 0, 0, 0);
    check_registers();
}

static void isolation_clears_the_unit_before_the_chain(void)
{
    set_policy(LIMEN_FPU_SEMI_LAZY, LIMEN_FPU_ISOLATE);
    start_counting();
    call(CHAIN);
    check_counts(1, 2, 1, 1, 0);
    check_registers();
    set_policy(LIMEN_FPU_SEMI_LAZY, 0);
}

static void policies_that_do_not_exist_are_refused(void)
{
    CHECK_EQUAL(limen_fpu_set_policy((limen_fpu_policy_t)4, 0), seL4_RangeError);
    CHECK_EQUAL(seL4_GetMR(1), 3);
    CHECK_EQUAL(limen_fpu_set_policy(LIMEN_FPU_SEMI_LAZY, 4), seL4_RangeError);
}

static seL4_Word flags_after(seL4_Word clear, seL4_Word set)
{
    seL4_TCB_SetFlags_t answer = seL4_TCB_SetFlags(CULPRIT_TCB, clear, set);
    CHECK_EQUAL((seL4_Word)answer.error, seL4_NoError);
    return answer.flags;
}

static void flags_are_cleared_then_set(void)
{
    CHECK_EQUAL(flags_after(0, 0), seL4_TCBFlag_fpuDisabled);
    CHECK_EQUAL(flags_after(seL4_TCBFlag_fpuDisabled, 0), 0);
    CHECK_EQUAL(flags_after(~seL4_TCBFlag_fpuDisabled, ~seL4_TCBFlag_fpuDisabled), 0);
    CHECK_EQUAL(flags_after(~0ul, ~0ul), seL4_TCBFlag_fpuDisabled);
    CHECK_EQUAL((seL4_Word)seL4_TCB_Set_Flags(CULPRIT_TCB, 1, 0), seL4_NoError);
    CHECK_EQUAL((seL4_Word)seL4_TCB_Set_Flags(CULPRIT_TCB, 0, 1), seL4_NoError);
    CHECK_EQUAL(flags_after(0, 0), seL4_TCBFlag_fpuDisabled);
}

/* Gives the child an order, which it carries out when the tester waits. */
static void order(enum order what)
{
    child()->order = what;
    child()->is_right = 0;
    microkit_notify(CULPRIT_CHANNEL);
}

static void receive_fault(seL4_Word number, seL4_Word mask, seL4_Word code)
{
    seL4_Word badge;
    seL4_MessageInfo_t message = seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
    CHECK_EQUAL(badge, LIMEN_BADGE_CHILD_FAULT | CULPRIT);
    CHECK_EQUAL(seL4_MessageInfo_get_label(message), seL4_Fault_UserException);
    CHECK_EQUAL(seL4_MessageInfo_get_length(message), seL4_UserException_Length);
    CHECK_EQUAL(seL4_GetMR(seL4_UserException_Length - 2) & mask, number);
    CHECK_EQUAL(seL4_GetMR(seL4_UserException_Length - 1), code);
}

static void receive_use(void)
{
    receive_fault(FPU_OFF_NUMBER, FPU_OFF_NUMBER_MASK, FPU_OFF_CODE);
}

static void answer(void)
{
    seL4_Send(LIMEN_REPLY_CAP, seL4_MessageInfo_new(0, 0, 0, 0));
}

/* Waits until the child is done with its order. */
static void await_done(void)
{
    seL4_Word badge;
    seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
    CHECK_EQUAL(badge, 1ul << CULPRIT_CHANNEL);
}

static void check_right(void)
{
    await_done();
    CHECK_EQUAL(child()->is_right, 1);
}

static void a_use_that_is_not_allowed_is_a_fault(void)
{
    own_unit();
    order(READ_INITIAL);
    receive_use();
    CHECK_EQUAL(seL4_GetMR(0), child()->first_use);
    answer();
    receive_use();
    CHECK_EQUAL(seL4_GetMR(0), child()->first_use);
    check_registers();
}

static void a_parent_may_allow_it(void)
{
    CHECK_EQUAL(flags_after(seL4_TCBFlag_fpuDisabled, 0), 0);
    answer();
    check_right();
    check_registers();
}

static void registers_outlast_a_time_without_the_unit(void)
{
    order(WRITE);
    check_right();
    CHECK_EQUAL(flags_after(0, seL4_TCBFlag_fpuDisabled), seL4_TCBFlag_fpuDisabled);
    order(READ_WRITTEN);
    receive_use();
    own_unit();
    CHECK_EQUAL(flags_after(seL4_TCBFlag_fpuDisabled, 0), 0);
    answer();
    check_right();
    check_registers();
}

static void skip_undefined(seL4_Word number)
{
    receive_fault(number, ~0ul, 0);
    seL4_SetMR(0, seL4_GetMR(0) + 4);
    seL4_Send(LIMEN_REPLY_CAP, seL4_MessageInfo_new(0, 0, 0, 1));
    await_done();
}

/* Whether the unit is on or off, and under the policy that asks for it by a fault. */
static void other_illegal_instructions_are_told_apart(void)
{
    order(UNDEFINED);
    skip_undefined(UNDEFINED_NUMBER);
    flags_after(0, seL4_TCBFlag_fpuDisabled);
    order(UNDEFINED);
    skip_undefined(UNDEFINED_NUMBER);
    flags_after(seL4_TCBFlag_fpuDisabled, 0);
    set_policy(LIMEN_FPU_FAULT_LAZY, 0);
    start_counting();
    order(UNDEFINED);
    skip_undefined(UNDEFINED_NUMBER);
    check_counts(0, 0, 2, 2, 0);
    set_policy(LIMEN_FPU_SEMI_LAZY, 0);
}

static void call_peer(microkit_channel peer)
{
    call(peer);
    CHECK_EQUAL(microkit_mr_get(0), 0);
}

/* The parent replies to the child's fault, and the child continues with its registers. */
static void let_child_fault(void)
{
    order(WRITE_UNDEFINED_READ);
    skip_undefined(UNDEFINED_NUMBER);
    CHECK_EQUAL(child()->is_right, 1);
}

/* The parent restarts the child instead of replying to its fault. Its registers are unchanged. */
static void restart_child(void)
{
    order(UNDEFINED);
    receive_fault(UNDEFINED_NUMBER, ~0ul, 0);
    seL4_UserContext context = { 0 };
    context.PROGRAM_COUNTER = child()->again;
    context.STACK_POINTER = child()->stack;
    CHECK_EQUAL((seL4_Word)seL4_TCB_WriteRegisters(CULPRIT_TCB, 1, 0, 3, &context), seL4_NoError);
    order(READ_WRITTEN);
    check_right();
}

static void one_event(void)
{
    switch (random_below(7)) {
    case 0:
        call(CHAIN);
        break;
    case 1:
        microkit_notify(PEER);
        break;
    case 2:
        order(random_below(2) ? WRITE : READ_WRITTEN);
        check_right();
        break;
    case 3:
        call_peer(PEER);
        break;
    case 4:
        call_peer(PASSIVE_PEER);
        break;
    case 5:
        let_child_fault();
        break;
    default:
        restart_child();
        break;
    }
}

static void be_preempted(void)
{
    volatile seL4_Word *looks = &((struct turns *)turns)->looks;
    seL4_Word seen = *looks;
    while (*looks == seen) {
    }
}

/* Lets the spender use up its budget. */
static void await_timeout(void)
{
    seL4_Word badge;
    seL4_MessageInfo_t message = seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
    CHECK_EQUAL(badge, LIMEN_BADGE_CHILD_FAULT | SPENDER);
    CHECK_EQUAL(seL4_MessageInfo_get_label(message), seL4_Fault_Timeout);
    answer();
}

/* The spender's next fault: true if it used the unit without permission, false if its budget has ended. */
static int receive_spender(void)
{
    seL4_Word badge;
    seL4_MessageInfo_t message = seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
    CHECK_EQUAL(badge, LIMEN_BADGE_CHILD_FAULT | SPENDER);
    if (seL4_MessageInfo_get_label(message) == seL4_Fault_Timeout) {
        return 0;
    }
    CHECK(limen_fpu_was_used(message));
    return 1;
}

/* Replies, and waits for the spender's next fault while the kernel counts. */
static int let_spender_run(void)
{
    start_counting();
    answer();
    return receive_spender();
}

/* The tester may use the unit and owns it, so each switch to the spender and back moves two sets of registers. */
static void await_end_of_granted_budget(void)
{
    own_unit();
    CHECK_EQUAL(let_spender_run(), 0);
    seL4_Word by_monitor = 0;
#if defined(CONFIG_DEBUG_BUILD)
    /* The monitor, which may not use the unit, prints the stack of a child that faults: the first eight times. */
    limen_fpu_counters_t now;
    CHECK_EQUAL(limen_fpu_counters(&now), seL4_NoError);
    by_monitor = now.enables != before.enables;
#endif
    check_counts(2, 2, by_monitor, by_monitor, 0);
    check_registers();
}

/* The parent grants the unit at the first use and revokes it at the end of the budget. */
static void a_grant_can_end_with_the_budget(void)
{
    ((struct turns *)turns)->looks = 0;
    CHECK_EQUAL(limen_fpu_forbid(SPENDER), seL4_NoError);
    CHECK_EQUAL(seL4_TCB_Resume(SPENDER_TCB), seL4_NoError);
    /* Not counted, because the culprit may still have to finish its last turn. */
    int used = receive_spender();
    /* On a slow machine, budgets may end before the first look. */
    for (int grants = 0; grants < TURNS || !((struct turns *)turns)->looks;) {
        if (used) {
            grants++;
            CHECK_EQUAL(limen_fpu_allow(SPENDER), seL4_NoError);
            await_end_of_granted_budget();
            CHECK_EQUAL(limen_fpu_forbid(SPENDER), seL4_NoError);
        }
        /* A budget may end before the first use. */
        used = let_spender_run();
        check_counts(0, 0, 1, 1, (seL4_Word)used);
    }
    CHECK_EQUAL(((struct turns *)turns)->wrong, 0);
}

/* The spender keeps its permission, and is an ordinary user. */
static void a_grant_that_is_not_revoked_lasts(void)
{
    CHECK_EQUAL(limen_fpu_allow(SPENDER), seL4_NoError);
    for (int i = 0; i < TURNS; i++) {
        await_end_of_granted_budget();
    }
    CHECK_EQUAL(seL4_TCB_Suspend(SPENDER_TCB), seL4_NoError);
    CHECK_EQUAL(((struct turns *)turns)->wrong, 0);
}

/* The next record of a new owner, at or after this position, is this one. Returns the position behind it. */
static seL4_Word check_owner(seL4_Word at, seL4_Word from, seL4_Word to)
{
    while (at < count && records[at].kind != limen_traced_fpu) {
        at++;
    }
    CHECK_RECORD(at, limen_traced_fpu, from, to);
    return at + 1;
}

/* Whether the unit was first used in the entry that ends with the record at this position. */
static int was_used(seL4_Word at, seL4_Word thread)
{
    return at > 1 && records[at - 2].kind == limen_traced_entry && records[at - 2].first == limen_trace_by_fpu_use
        && records[at - 2].thread == thread;
}

static void owners_of_the_unit_are_recorded(void)
{
    seL4_Word groups = GROUP(ENTRIES) | GROUP(MEMORY);
    set_policy(LIMEN_FPU_SEMI_LAZY, 0);
    recorded_begin(groups);
    call(CHAIN);
    recorded_end(groups);
    CHECK_EQUAL(recorded_count(limen_traced_fpu), 0);
    recorded_begin(groups);
    call(PEER);
    recorded_end(groups);
    seL4_Word at = check_owner(0, TESTER_THREAD, PEER_THREAD);
    CHECK(!was_used(at, PEER_THREAD));
    check_owner(at, PEER_THREAD, TESTER_THREAD);
    CHECK_EQUAL(recorded_count(limen_traced_fpu), 2);

    /* The kernel grants the unit when the peer uses it, and when the tester does again. */
    set_policy(LIMEN_FPU_FAULT_LAZY, 0);
    recorded_begin(groups);
    call(PEER);
    check_registers();
    recorded_end(groups);
    at = check_owner(0, TESTER_THREAD, PEER_THREAD);
    CHECK(was_used(at, PEER_THREAD));
    at = check_owner(at, PEER_THREAD, TESTER_THREAD);
    CHECK(was_used(at, TESTER_THREAD));
    CHECK_EQUAL(recorded_count(limen_traced_fpu), 2);

    /* Saved on the way to the chain, which does not use it, and loaded on the way back. */
    set_policy(LIMEN_FPU_EARLY_SAVE, 0);
    recorded_begin(groups);
    call(CHAIN);
    recorded_end(groups);
    at = check_owner(0, TESTER_THREAD, LIMEN_TRACE_NO_THREAD);
    check_owner(at, LIMEN_TRACE_NO_THREAD, TESTER_THREAD);
    CHECK_EQUAL(recorded_count(limen_traced_fpu), 2);
    set_policy(LIMEN_FPU_SEMI_LAZY, 0);
}

static void yield(void)
{
    seL4_Yield();
}

/* Runs events while another child uses the unit whenever it runs. */
static void take_turns(seL4_CPtr other, void (*event)(void))
{
    CHECK_EQUAL(seL4_TCB_Resume(other), seL4_NoError);
    for (int i = 0; i < TURNS; i++) {
        own_unit();
        event();
        check_registers();
    }
    CHECK_EQUAL(seL4_TCB_Suspend(other), seL4_NoError);
}

static void stress(limen_fpu_policy_t policy, seL4_Word options)
{
    order(WRITE);
    check_right();
    set_policy(policy, options);
    for (int i = 0; i < EVENTS; i++) {
        own_unit();
        one_event();
        check_registers();
        if (i % EVENTS_PER_LINE == EVENTS_PER_LINE - 1) {
            print("FPU goes on\n");
        }
    }
    take_turns(DISTURBER_TCB, be_preempted);
    take_turns(DISTURBER_TCB, yield);
    take_turns(SPENDER_TCB, await_timeout);
    CHECK_EQUAL(((struct turns *)turns)->wrong, 0);
    set_policy(LIMEN_FPU_SEMI_LAZY, 0);
}

static void threads_keep_their_registers_under_semi_lazy(void)
{
    stress(LIMEN_FPU_SEMI_LAZY, 0);
}

static void threads_keep_their_registers_under_eager(void)
{
    stress(LIMEN_FPU_EAGER, 0);
}

static void threads_keep_their_registers_under_fault_lazy(void)
{
    stress(LIMEN_FPU_FAULT_LAZY, 0);
}

static void threads_keep_their_registers_under_early_save(void)
{
    stress(LIMEN_FPU_EARLY_SAVE, LIMEN_FPU_ISOLATE);
}

void init(void)
{
    seL4_TCB_Suspend(DISTURBER_TCB);
    seL4_TCB_Suspend(SPENDER_TCB);
    RUN(registers_are_initial_at_first);
    RUN(a_chain_without_the_unit_moves_nothing);
    RUN(a_thousand_chains_move_nothing);
    RUN(users_exchange_once_each_way);
    RUN(eager_moves_at_every_switch);
    RUN(fault_lazy_moves_at_every_first_use);
    RUN(early_save_saves_before_the_chain);
    RUN(isolation_clears_the_unit_before_the_chain);
    RUN(policies_that_do_not_exist_are_refused);
    RUN(flags_are_cleared_then_set);
    RUN(a_use_that_is_not_allowed_is_a_fault);
    RUN(a_parent_may_allow_it);
    RUN(registers_outlast_a_time_without_the_unit);
    RUN(other_illegal_instructions_are_told_apart);
    RUN(a_grant_can_end_with_the_budget);
    RUN(a_grant_that_is_not_revoked_lasts);
    RUN(owners_of_the_unit_are_recorded);
    RUN(threads_keep_their_registers_under_semi_lazy);
    RUN(threads_keep_their_registers_under_eager);
    RUN(threads_keep_their_registers_under_fault_lazy);
    RUN(threads_keep_their_registers_under_early_save);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}

seL4_Bool fault(microkit_child which, microkit_msginfo message, microkit_msginfo *reply)
{
    (void)which;
    (void)message;
    (void)reply;
    return seL4_False;
}
