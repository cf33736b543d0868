/* Lets children spin, and receives the timeout faults of one with a limited budget. */

#include "test.h"

/* Set by the tool. */
seL4_Word counts;

#define REPORTED 1
#define LIMITED 2
#define BUDGET_US 500

/* The last fault. */
static seL4_Word faults, fault_label, fault_data, fault_consumed;

static seL4_Word count_of(seL4_Word counter)
{
    return ((volatile seL4_Word *)counts)[counter];
}

/* Waits until the limited spinner's count advances; it preempts this program after its next refill. */
static void wait_for_count(seL4_Word counter, seL4_Word more)
{
    seL4_Word wanted = count_of(counter) + more;
    while (count_of(counter) < wanted) {
    }
}

static void a_share_leaves_time_to_less_important_programs(void)
{
    microkit_notify(LIMITED);
    /* The spinner has a higher priority, yet this program runs again and again. */
    wait_for_count(1, 1);
    wait_for_count(1, 1);
    wait_for_count(1, 1);
    microkit_pd_stop(LIMITED);
}

/* Receives the child's next fault and replies to it. */
static void serve_fault(seL4_Bool goes_on)
{
    seL4_Word badge;
    seL4_MessageInfo_t info = seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
    faults++;
    fault_label = seL4_MessageInfo_get_label(info);
    fault_data = seL4_GetMR(seL4_Timeout_Data);
    fault_consumed = seL4_GetMR(seL4_Timeout_Consumed);
    if (goes_on) {
        seL4_Send(LIMEN_REPLY_CAP, seL4_MessageInfo_new(0, 0, 0, 0));
    }
}

static void a_used_up_budget_is_a_fault_of_the_child(void)
{
    microkit_notify(REPORTED);
    serve_fault(seL4_True);
    CHECK_EQUAL(fault_label, seL4_Fault_Timeout);
    CHECK_EQUAL(fault_data, 0);
    CHECK(fault_consumed >= BUDGET_US);
}

static void a_child_that_may_go_on_uses_up_its_next_budget(void)
{
    seL4_Word before = count_of(0);
    serve_fault(seL4_True);
    CHECK_EQUAL(faults, 2);
    CHECK(count_of(0) > before);
    CHECK(fault_consumed >= BUDGET_US);
}

static void scheduling_control_changes_budget_and_badge(void)
{
    seL4_CPtr control = microkit_cspace_root_slot_to_cptr(1), time = microkit_cspace_root_slot_to_cptr(2);
    CHECK_EQUAL(seL4_SchedControl_Configure(control, time, 1000, 2000, 0, 77), seL4_NoError);
    serve_fault(seL4_True);
    CHECK_EQUAL(fault_data, 77);
    serve_fault(seL4_False);
    CHECK(fault_consumed >= 1000);
    CHECK_EQUAL(seL4_SchedControl_Configure(control, time, 1, 2000, 0, 77), seL4_RangeError);
}

void init(void)
{
    RUN(a_share_leaves_time_to_less_important_programs);
    RUN(a_used_up_budget_is_a_fault_of_the_child);
    RUN(a_child_that_may_go_on_uses_up_its_next_budget);
    RUN(scheduling_control_changes_budget_and_badge);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
