/* Samples its own crossings, next to a program without permission. */

#include <limen.h>

#include "garbage.h"
#include "orders.h"
#include "test.h"

static struct orders *const todo = (struct orders *)ORDERS_ADDRESS;

#define HOSTILE 0
#define SERVER 1
#define CHILD 3

/* Far more than any crossing takes, and far less than a stamp that belongs to another. */
#define LONGEST 100000000ul
extern char _start[];

/* Its target is the address of a page fault, and of a system call the capability. */
static limen_crossing_t crossing;
static limen_probe_sample_t sample;

static void read_sample(void)
{
    CHECK_EQUAL(limen_probe_read(&sample), seL4_NoError);
}

static void check_no_sample(void)
{
    read_sample();
    CHECK_EQUAL(sample.valid, seL4_False);
}

/* The stamps of program, kernel, kernel and program follow each other. */
static void check_crossing(limen_probe_event_t event)
{
    read_sample();
    CHECK_EQUAL(sample.valid, seL4_True);
    CHECK_EQUAL(sample.event, event);
    CHECK_EQUAL(sample.user, crossing.user);
    CHECK(sample.entry - sample.user < LONGEST);
    CHECK(crossing.exit - sample.entry < LONGEST);
    CHECK(crossing.after - crossing.exit < LONGEST);
    check_no_sample();
}

static void fault_on_a_page(void)
{
    crossing.target = UNMAPPED;
    limen_cross_page_fault(&crossing);
}

static void call(seL4_Word target, seL4_Int64 number)
{
    crossing.target = target;
    crossing.number = (seL4_Word)number;
    limen_cross_syscall(&crossing);
}

static void tell_hostile(void)
{
    call(BASE_OUTPUT_NOTIFICATION_CAP + HOSTILE, seL4_SysSend);
}

static void faults_are_sampled_and_resumed(void)
{
    CHECK_EQUAL(limen_probe_start(), seL4_NoError);
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(LIMEN_PROBE_ARM(page_fault), seL4_NoError);
        fault_on_a_page();
        check_crossing(limen_probe_page_fault);
        CHECK_EQUAL(LIMEN_PROBE_ARM(undefined), seL4_NoError);
        limen_cross_undefined(&crossing);
        check_crossing(limen_probe_undefined);
        CHECK_EQUAL(LIMEN_PROBE_ARM(breakpoint), seL4_NoError);
        limen_cross_breakpoint(&crossing);
        check_crossing(limen_probe_breakpoint);
    }
    CHECK_EQUAL(limen_probe_stop(), seL4_NoError);
}

static void interrupts_are_sampled_and_resumed(void)
{
    CHECK_EQUAL(limen_probe_start(), seL4_NoError);
    CHECK_EQUAL(limen_probe_arm_interrupt(), seL4_NoError);
    limen_cross_interrupt(&crossing);
    check_crossing(limen_probe_interrupt);
    CHECK_EQUAL(limen_probe_stop(), seL4_NoError);
}

static void calls_and_signals_are_sampled_across_programs(void)
{
    CHECK_EQUAL(limen_probe_start(), seL4_NoError);
    CHECK_EQUAL(limen_probe_arm_syscall(), seL4_NoError);
    call(BASE_ENDPOINT_CAP + SERVER, seL4_SysCall);
    check_crossing(limen_probe_system_call);
    todo->order = ASK;
    CHECK_EQUAL(limen_probe_arm_syscall(), seL4_NoError);
    tell_hostile();
    check_crossing(limen_probe_system_call);
    CHECK_EQUAL(limen_probe_stop(), seL4_NoError);
}

/* The barriers of the serialised ones are where the others have nothing. */
static void serialised_crossings_are_sampled_as_well(void)
{
    CHECK_EQUAL(limen_probe_start(), seL4_NoError);
    CHECK_EQUAL(limen_probe_arm(limen_probe_undefined, (seL4_Word)limen_cross_undefined_serialised,
                                (seL4_Word)limen_crossed_undefined_serialised, LIMEN_PROBE_EXIT_SERIALISED),
                seL4_NoError);
    limen_cross_undefined_serialised(&crossing);
    check_crossing(limen_probe_undefined);
    CHECK_EQUAL(limen_probe_arm(limen_probe_system_call, 0, 0, LIMEN_PROBE_EXIT_SERIALISED), seL4_NoError);
    call(BASE_ENDPOINT_CAP + SERVER, seL4_SysCall);
    check_crossing(limen_probe_system_call);
    CHECK_EQUAL(limen_probe_stop(), seL4_NoError);
}

/* The program may put any value into its stamp register. */
static void any_stamp_will_do(void)
{
    CHECK_EQUAL(limen_probe_start(), seL4_NoError);
    CHECK_EQUAL(limen_probe_arm(limen_probe_system_call, ~0ul, 0, 0), seL4_NoError);
    limen_probe_read(&sample);
    CHECK_EQUAL(sample.valid, seL4_True);
    CHECK_EQUAL(sample.event, limen_probe_system_call);
    CHECK_EQUAL(limen_probe_stop(), seL4_NoError);
}

static void only_what_is_armed_is_sampled(void)
{
    CHECK_EQUAL(limen_probe_start(), seL4_NoError);
    tell_hostile();
    check_no_sample();
    /* Other entries before the event are reported. */
    CHECK_EQUAL(LIMEN_PROBE_ARM(page_fault), seL4_NoError);
    tell_hostile();
    tell_hostile();
    fault_on_a_page();
    read_sample();
    CHECK_EQUAL(sample.valid, seL4_True);
    CHECK(sample.interruptions >= 2);
    /* An arming is for one event. */
    CHECK_EQUAL(limen_probe_arm_syscall(), seL4_NoError);
    tell_hostile();
    tell_hostile();
    read_sample();
    CHECK_EQUAL(sample.valid, seL4_True);
    check_no_sample();
    CHECK_EQUAL(limen_probe_stop(), seL4_NoError);
}

static void samples_without_room_are_counted(void)
{
    CHECK_EQUAL(limen_probe_start(), seL4_NoError);
    for (int i = 0; i < LIMEN_PROBE_SAMPLES + 3; i++) {
        CHECK_EQUAL(LIMEN_PROBE_ARM(undefined), seL4_NoError);
        limen_cross_undefined(&crossing);
    }
    for (int i = 0; i < LIMEN_PROBE_SAMPLES; i++) {
        read_sample();
        CHECK_EQUAL(sample.valid, seL4_True);
        CHECK_EQUAL(sample.dropped, 3);
    }
    check_no_sample();
    CHECK_EQUAL(limen_probe_stop(), seL4_NoError);
    CHECK_EQUAL(limen_probe_start(), seL4_NoError);
    check_no_sample();
    CHECK_EQUAL(sample.dropped, 0);
    CHECK_EQUAL(limen_probe_stop(), seL4_NoError);
}

static void requests_out_of_order_are_refused(void)
{
    CHECK_EQUAL(limen_probe_arm(limen_probe_undefined, 0, 0, 0), seL4_IllegalOperation);
    CHECK_EQUAL(limen_probe_read(&sample), seL4_IllegalOperation);
    CHECK_EQUAL(limen_probe_stop(), seL4_IllegalOperation);
    CHECK_EQUAL(limen_probe_start(), seL4_NoError);
    CHECK_EQUAL(limen_probe_start(), seL4_IllegalOperation);
    CHECK_EQUAL(limen_probe_arm((limen_probe_event_t)5, 0, 0, 0), seL4_RangeError);
    CHECK_EQUAL(limen_probe_arm(limen_probe_undefined, 0, 0, 3), seL4_RangeError);
    limen_words_t words = { limen_probe_undefined, 0, 0, 0 };
    CHECK_EQUAL(limen_outcome(limen_invoke(LIMEN_PROBE_CAP, LimenProbeArm, 0, 3, words)), seL4_TruncatedMessage);
    CHECK_EQUAL(limen_probe_stop(), seL4_NoError);
}

/* The hostile program has a higher priority: it has carried out its order or faulted when the signal returns. */
static void let_hostile(enum order order, seL4_Word value)
{
    todo->order = order;
    todo->value = value;
    todo->is_done = 0;
    microkit_notify(HOSTILE);
}

/* Its registers are not those of a program that can start again. */
static void restart_hostile(void)
{
    seL4_UserContext context = { 0 };
    ((seL4_Word *)&context)[0] = (seL4_Word)_start;
    ((seL4_Word *)&context)[LIMEN_STACK_POINTER] = todo->stack;
    CHECK_EQUAL(seL4_TCB_WriteRegisters(BASE_TCB_CAP + CHILD, seL4_True, 0, LIMEN_STACK_POINTER + 1, &context), seL4_NoError);
}

static void check_fault(enum order order, seL4_Word value, seL4_Word label)
{
    seL4_Word badge = 0;
    let_hostile(order, value);
    CHECK_EQUAL(todo->is_done, 0);
    seL4_MessageInfo_t fault = seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
    CHECK_EQUAL(seL4_MessageInfo_get_label(fault), label);
    if (label == seL4_Fault_UserException) {
        CHECK_EQUAL(seL4_GetMR(seL4_UserException_SP), value);
    } else {
        CHECK_EQUAL(seL4_GetMR(seL4_VMFault_Addr), UNMAPPED);
    }
    restart_hostile();
}

static void programs_without_a_probe_are_refused(void)
{
    CHECK_EQUAL(limen_probe_start(), seL4_NoError);
    let_hostile(ASK, 0);
    CHECK_EQUAL(todo->is_done, 1);
    CHECK_EQUAL(todo->outcome, 4);
    CHECK_EQUAL(limen_probe_stop(), seL4_NoError);
}

/* Stack pointers that lead nowhere, to others, and to what another kernel looks for; stamps of the past and the future. */
static const seL4_Word values[] = {
    0, 1, UNMAPPED, MAGIC, ORDERS_ADDRESS + __builtin_offsetof(struct orders, record),
    0x7ffffffffffful, 0x800000000000ul, 1ul << 62, 0xffff800000000000ul, 0xffffffff80000000ul, ~7ul, ~0ul,
};
#define VALUES (sizeof values / sizeof *values)

static void write_record(void)
{
    for (seL4_Word i = 0; i < RECORD_WORDS; i++) {
        todo->record[i] = i == MAGIC_PLACE ? MAGIC : i;
    }
}

static void check_record(void)
{
    for (seL4_Word i = 0; i < RECORD_WORDS; i++) {
        CHECK_EQUAL(todo->record[i], i == MAGIC_PLACE ? MAGIC : i);
    }
}

/* The register contents of a probing program harm no program, itself included; its stamp register is reported as is. */
static void a_probing_program_may_have_any_register_contents(void)
{
    CHECK_EQUAL(limen_probe_start(), seL4_NoError);
    for (seL4_Word i = 0; i < VALUES; i++) {
        CHECK_EQUAL(limen_probe_arm(limen_probe_undefined, (seL4_Word)garbage_probed, (seL4_Word)garbage_probed_end, 0),
                    seL4_NoError);
        CHECK_EQUAL(garbage_probed(values[i], 0), 0);
        read_sample();
        CHECK_EQUAL(sample.valid, seL4_True);
        CHECK_EQUAL(sample.user, values[i]);
    }
    CHECK_EQUAL(limen_probe_stop(), seL4_NoError);
}

/* Its faults are faults, whatever is in its registers, also while another program probes and has armed the same. */
static void programs_without_a_probe_are_not_sampled(void)
{
    write_record();
    CHECK_EQUAL(limen_probe_start(), seL4_NoError);
    for (seL4_Word i = 0; i < VALUES; i++) {
        CHECK_EQUAL(LIMEN_PROBE_ARM(undefined), seL4_NoError);
        check_fault(UNDEFINED, values[i], seL4_Fault_UserException);
        CHECK_EQUAL(LIMEN_PROBE_ARM(breakpoint), seL4_NoError);
        check_fault(BREAKPOINT, values[i], seL4_Fault_UserException);
        CHECK_EQUAL(LIMEN_PROBE_ARM(page_fault), seL4_NoError);
        check_fault(PAGE_FAULT, values[i], seL4_Fault_VMFault);
        check_no_sample();
        fault_on_a_page();
        check_crossing(limen_probe_page_fault);
    }
    check_record();
    CHECK_EQUAL(limen_probe_stop(), seL4_NoError);
}

/* Nor are the returns from its system calls. */
static void programs_without_a_probe_are_not_stamped(void)
{
    write_record();
    CHECK_EQUAL(limen_probe_start(), seL4_NoError);
    for (seL4_Word i = 0; i < VALUES; i++) {
        CHECK_EQUAL(limen_probe_arm_syscall(), seL4_NoError);
        let_hostile(SYSCALL, values[i]);
        CHECK_EQUAL(todo->is_done, 1);
        CHECK_EQUAL(todo->outcome, 0);
    }
    check_record();
    CHECK_EQUAL(limen_probe_stop(), seL4_NoError);
}

static void faults_of_others_do_not_end_an_arming(void)
{
    CHECK_EQUAL(limen_probe_start(), seL4_NoError);
    CHECK_EQUAL(LIMEN_PROBE_ARM(page_fault), seL4_NoError);
    check_fault(PAGE_FAULT, 0, seL4_Fault_VMFault);
    fault_on_a_page();
    check_crossing(limen_probe_page_fault);
    CHECK_EQUAL(limen_probe_stop(), seL4_NoError);
}

static void probing_can_be_switched_often(void)
{
    for (int i = 0; i < 50; i++) {
        CHECK_EQUAL(limen_probe_start(), seL4_NoError);
        CHECK_EQUAL(limen_probe_arm_syscall(), seL4_NoError);
        call(BASE_ENDPOINT_CAP + SERVER, seL4_SysCall);
        check_crossing(limen_probe_system_call);
        CHECK_EQUAL(limen_probe_stop(), seL4_NoError);
    }
}

/* The same code without probing: the registers are the program's. */
static void nothing_is_stamped_without_a_probe(void)
{
    tell_hostile();
    CHECK_EQUAL(limen_probe_start(), seL4_NoError);
    CHECK_EQUAL(limen_probe_arm(limen_probe_system_call, 0, 0, 0), seL4_NoError);
    tell_hostile();
    read_sample();
    CHECK_EQUAL(sample.valid, seL4_True);
    CHECK(!(crossing.exit - sample.entry < LONGEST));
    CHECK_EQUAL(limen_probe_stop(), seL4_NoError);
}

void init(void)
{
    RUN(faults_are_sampled_and_resumed);
    RUN(interrupts_are_sampled_and_resumed);
    RUN(calls_and_signals_are_sampled_across_programs);
    RUN(serialised_crossings_are_sampled_as_well);
    RUN(any_stamp_will_do);
    RUN(only_what_is_armed_is_sampled);
    RUN(samples_without_room_are_counted);
    RUN(requests_out_of_order_are_refused);
    RUN(programs_without_a_probe_are_refused);
    RUN(a_probing_program_may_have_any_register_contents);
    RUN(programs_without_a_probe_are_not_sampled);
    RUN(programs_without_a_probe_are_not_stamped);
    RUN(faults_of_others_do_not_end_an_arming);
    RUN(probing_can_be_switched_often);
    RUN(nothing_is_stamped_without_a_probe);
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
