/* Follows its samples in its ring, and has a child that also has one. */

#include "garbage.h"
#include "orders.h"
#include "scribe.h"
#include "test.h"

/* Set by the tool. */
seL4_Word ring;

#define CHILD 3
#define CHILDS_SIGNAL (1ul << 0)
/* Room in a ring. */
#define SLOTS 63
/* Far more than any crossing takes. */
#define LONGEST 100000000ul
/* Instructions, several times the slice of a program. */
#define SLICES 5000000ul

extern char _start[];

static struct scribe *const todo = (struct scribe *)SCRIBE_ADDRESS;
static limen_ring_cursor_t cursor;
static limen_probe_sample_t sample;
static limen_crossing_t crossing;

static void start(void)
{
    CHECK_EQUAL(limen_probe_start(), seL4_NoError);
    cursor = (limen_ring_cursor_t){ .ring = (const limen_ring_line_t *)ring };
}

static void stop(void)
{
    CHECK_EQUAL(limen_probe_stop(), seL4_NoError);
}

static void keep_armed(limen_probe_event_t event, void (*first)(void), void (*last)(void), seL4_Word options)
{
    seL4_Error error = limen_probe_arm(event, (seL4_Word)first, (seL4_Word)last, options | LIMEN_PROBE_EVERY);
    CHECK_EQUAL(error, seL4_NoError);
}

#define KEEP_ARMED(name) \
    keep_armed(limen_probe_##name, (void (*)(void))limen_cross_##name, limen_crossed_##name, LIMEN_PROBE_EXIT)

/* The next sample is that of this crossing. */
static void check_next(limen_probe_event_t event)
{
    CHECK_EQUAL(limen_probe_ring_next(&cursor, &sample), seL4_True);
    CHECK_EQUAL(sample.event, event);
    CHECK_EQUAL(sample.user, crossing.user);
    CHECK(sample.entry - sample.user < LONGEST);
    CHECK(crossing.exit - sample.entry < LONGEST);
    CHECK(crossing.after - crossing.exit < LONGEST);
}

/* A second interrupt may arrive where a crossing ends. */
static void skip_interrupts(void)
{
    while (limen_probe_ring_next(&cursor, &sample)) {
        CHECK_EQUAL(sample.event, limen_probe_interrupt);
    }
}

static void check_none(void)
{
    CHECK_EQUAL(limen_probe_ring_next(&cursor, &sample), seL4_False);
}

static void samples_are_followed_without_system_calls(void)
{
    seL4_Word entries = 0;
    start();
    check_none();
    KEEP_ARMED(undefined);
    for (int i = 0; i < 2 * SLOTS; i++) {
        limen_cross_undefined(&crossing);
        check_next(limen_probe_undefined);
        entries += sample.interruptions;
    }
    check_none();
    CHECK_EQUAL(sample.dropped, 0);
    /* The ends of a few slices. */
    CHECK(entries < 4);
    stop();
}

static void call_nobody(void)
{
    crossing.target = 0;
    crossing.number = (seL4_Word)seL4_SysYield;
    limen_cross_syscall(&crossing);
}

static void every_kind_of_event_stays_armed(void)
{
    start();
    KEEP_ARMED(page_fault);
    crossing.target = UNMAPPED;
    for (int i = 0; i < 3; i++) {
        limen_cross_page_fault(&crossing);
        check_next(limen_probe_page_fault);
    }
    KEEP_ARMED(breakpoint);
    for (int i = 0; i < 3; i++) {
        limen_cross_breakpoint(&crossing);
        check_next(limen_probe_breakpoint);
    }
    keep_armed(limen_probe_interrupt, limen_crossing_interrupt, limen_crossed_interrupt, LIMEN_PROBE_EXIT);
    for (int i = 0; i < 3; i++) {
        limen_cross_interrupt(&crossing);
        check_next(limen_probe_interrupt);
        skip_interrupts();
    }
    keep_armed(limen_probe_system_call, limen_crossed_syscall, limen_crossed_syscall, LIMEN_PROBE_EXIT);
    for (int i = 0; i < 3; i++) {
        call_nobody();
        check_next(limen_probe_system_call);
    }
    keep_armed(limen_probe_undefined, (void (*)(void))limen_cross_undefined_serialised,
               limen_crossed_undefined_serialised, LIMEN_PROBE_EXIT_SERIALISED);
    for (int i = 0; i < 3; i++) {
        limen_cross_undefined_serialised(&crossing);
        check_next(limen_probe_undefined);
    }
    check_none();
    stop();
}

/* They are entries in between, and keep their registers. */
static void system_calls_of_other_code_are_not_armed(void)
{
    start();
    keep_armed(limen_probe_system_call, limen_crossed_syscall, limen_crossed_syscall, LIMEN_PROBE_EXIT);
    call_nobody();
    check_next(limen_probe_system_call);
    CHECK_EQUAL(garbage_syscall(0x5a5a, seL4_SysYield), 0);
    seL4_Yield();
    check_none();
    call_nobody();
    check_next(limen_probe_system_call);
    CHECK(sample.interruptions >= 2);
    stop();
}

static void one_more_event_than_there_is_room_loses_one_sample(void)
{
    static seL4_Uint64 stamps[SLOTS + 1];
    start();
    KEEP_ARMED(undefined);
    for (int i = 0; i < SLOTS + 1; i++) {
        limen_cross_undefined(&crossing);
        stamps[i] = crossing.user;
    }
    for (int i = 1; i < SLOTS + 1; i++) {
        CHECK_EQUAL(limen_probe_ring_next(&cursor, &sample), seL4_True);
        CHECK_EQUAL(sample.user, stamps[i]);
        CHECK_EQUAL(sample.dropped, 1);
    }
    check_none();
    stop();
}

static void samples_are_in_the_ring_only(void)
{
    start();
    CHECK_EQUAL(LIMEN_PROBE_ARM(undefined), seL4_NoError);
    limen_cross_undefined(&crossing);
    CHECK_EQUAL(limen_probe_read(&sample), seL4_NoError);
    CHECK_EQUAL(sample.valid, seL4_False);
    CHECK_EQUAL(sample.dropped, 0);
    seL4_Bool is_switched = sample.is_page_table_switched;
    check_next(limen_probe_undefined);
    CHECK_EQUAL(sample.is_page_table_switched, is_switched);
    check_none();
    stop();
}

static void a_stop_in_the_middle_keeps_samples_until_the_next_start(void)
{
    start();
    keep_armed(limen_probe_system_call, limen_crossed_syscall, limen_crossed_syscall, LIMEN_PROBE_EXIT);
    call_nobody();
    call_nobody();
    stop();
    call_nobody();
    CHECK_EQUAL(limen_probe_ring_next(&cursor, &sample), seL4_True);
    CHECK_EQUAL(limen_probe_ring_next(&cursor, &sample), seL4_True);
    check_none();
    CHECK_EQUAL(limen_probe_start(), seL4_NoError);
    call_nobody();
    check_none();
    CHECK_EQUAL(limen_probe_arm_syscall(), seL4_NoError);
    call_nobody();
    check_next(limen_probe_system_call);
    stop();
}

static void wrong_options_are_refused(void)
{
    start();
    CHECK_EQUAL(limen_probe_arm(limen_probe_undefined, 0, 0, LIMEN_PROBE_EVERY | 3), seL4_RangeError);
    CHECK_EQUAL(limen_probe_arm(limen_probe_undefined, 0, 0, 2 * LIMEN_PROBE_EVERY), seL4_RangeError);
    stop();
}

/* Returns the label of the child's fault, or 0 when it has carried out its order. */
static seL4_Word outcome_of(enum scribe_order order, seL4_Word value)
{
    seL4_Word badge = 0;
    todo->order = order;
    todo->value = value;
    microkit_notify(0);
    seL4_MessageInfo_t message = seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
    if (badge == CHILDS_SIGNAL) {
        CHECK_EQUAL(todo->errors, 0);
        return 0;
    }
    return seL4_MessageInfo_get_label(message);
}

/* With a stack pointer as at a function's start, which that of a fault may not be. */
static void restart_child(void)
{
    seL4_UserContext context = { 0 };
    ((seL4_Word *)&context)[0] = (seL4_Word)_start;
    ((seL4_Word *)&context)[LIMEN_STACK_POINTER] = todo->stack;
    CHECK_EQUAL(seL4_TCB_WriteRegisters(BASE_TCB_CAP + CHILD, seL4_True, 0, LIMEN_STACK_POINTER + 1, &context),
                seL4_NoError);
}

static void check_memory_fault(enum scribe_order order, seL4_Word address)
{
    CHECK_EQUAL(outcome_of(order, address), seL4_Fault_VMFault);
    CHECK_EQUAL(seL4_GetMR(seL4_VMFault_Addr), address);
    restart_child();
}

static void programs_cannot_write_their_ring(void)
{
    for (seL4_Word offset = 0; offset < 0x1000; offset += 0x1f8) {
        check_memory_fault(SCRIBE_WRITE, SCRIBES_RING + offset);
        CHECK_EQUAL(outcome_of(SCRIBE_READ, SCRIBES_RING + offset), 0);
        CHECK_EQUAL(todo->outcome, 0);
    }
}

static void programs_do_not_see_the_rings_of_others(void)
{
    check_memory_fault(SCRIBE_READ, FOLLOWERS_RING);
    check_memory_fault(SCRIBE_READ, SCRIBES_RING + 0x1000);
    check_memory_fault(SCRIBE_READ, SCRIBES_RING - 8);
}

static void a_restart_ends_an_arming_and_the_next_start_clears_the_ring(void)
{
    CHECK_EQUAL(outcome_of(SCRIBE_FOLLOW, 5), 0);
    CHECK_EQUAL(todo->count, 5);
    CHECK_EQUAL(outcome_of(SCRIBE_CAUSE, 0), 0);
    CHECK_EQUAL(todo->count, 6);
    restart_child();
    CHECK_EQUAL(outcome_of(SCRIBE_CAUSE, 0), seL4_Fault_UserException);
    restart_child();
    CHECK_EQUAL(outcome_of(SCRIBE_READ, SCRIBES_RING + 64), 0);
    CHECK_EQUAL(todo->outcome, 1);
    CHECK_EQUAL(todo->count, 6);
    CHECK_EQUAL(outcome_of(SCRIBE_START, 0), 0);
    CHECK_EQUAL(todo->count, 0);
    for (seL4_Word line = 1; line < SLOTS + 1; line++) {
        CHECK_EQUAL(outcome_of(SCRIBE_READ, SCRIBES_RING + 64 * line), 0);
        CHECK_EQUAL(todo->outcome, 0);
    }
    restart_child();
}

/* The request to stop is itself the last event. */
static void a_probe_may_be_stopped_within_an_event(void)
{
    CHECK_EQUAL(outcome_of(SCRIBE_ANYWHERE, 0), 0);
    CHECK_EQUAL(todo->outcome, 1);
    CHECK_EQUAL(outcome_of(SCRIBE_READ, SCRIBES_RING), 0);
    CHECK_EQUAL(todo->outcome, 1);
}

/* The stamps go to the registers of the program that armed, whatever is in them, and to those of no other. */
static void an_armed_program_may_have_any_register_contents(void)
{
    static const seL4_Word values[] = { 0, 1, UNMAPPED, SCRIBES_RING, FOLLOWERS_RING, 1ul << 63, ~7ul, ~0ul };
    for (seL4_Word i = 0; i < sizeof values / sizeof *values; i++) {
        CHECK_EQUAL(outcome_of(SCRIBE_GARBAGE, values[i]), 0);
        CHECK_EQUAL(todo->outcome, 1);
        CHECK_EQUAL(todo->count, 1);
        CHECK_EQUAL(garbage_syscall(values[i], seL4_SysYield), 0);
    }
}

/* It has the same priority, and its budget ends. */
static void an_endless_event_takes_no_more_than_a_slice(void)
{
    todo->order = SCRIBE_LOOP;
    microkit_notify(0);
    seL4_Word before = limen_counter();
    while (limen_counter() - before < SLICES) {
    }
    microkit_pd_stop(CHILD);
    restart_child();
    CHECK_EQUAL(outcome_of(SCRIBE_READ, SCRIBES_RING), 0);
    CHECK(todo->outcome > SLOTS);
}

void init(void)
{
    RUN(samples_are_followed_without_system_calls);
    RUN(every_kind_of_event_stays_armed);
    RUN(system_calls_of_other_code_are_not_armed);
    RUN(one_more_event_than_there_is_room_loses_one_sample);
    RUN(samples_are_in_the_ring_only);
    RUN(a_stop_in_the_middle_keeps_samples_until_the_next_start);
    RUN(wrong_options_are_refused);
    RUN(programs_cannot_write_their_ring);
    RUN(programs_do_not_see_the_rings_of_others);
    RUN(a_restart_ends_an_arming_and_the_next_start_clears_the_ring);
    RUN(a_probe_may_be_stopped_within_an_event);
    RUN(an_armed_program_may_have_any_register_contents);
    RUN(an_endless_event_takes_no_more_than_a_slice);
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
