/* Runs on processor 0 and reads the rings of all processors. */

#include <limen.h>
#include <limen/trace.h>

#include "recorded.h"
#include "shared.h"
#include "test.h"

seL4_Word shared;
/* Set by the tool for recorded.c. */
extern seL4_Word trace;

/* Threads, in the order of the description. */
enum { UART, TESTER, SERVER, WAITER, WRITER };

/* Channels, and processors of their other ends. */
#define TO_SERVER 1
#define TO_WAITER 2
#define TO_WRITER 3
#define PROCESSORS 4

/* The key after those of the trace. */
#define SPARE TRACE_GROUPS

#define SLOTS (0x8000 / 32)
#define NO_THREAD LIMEN_TRACE_NO_THREAD

/* Positions in the rings of the other processors. */
static limen_trace_cursor_t others[PROCESSORS];

static void begin(seL4_Word groups)
{
    limen_trace_record_t record;
    for (seL4_Word number = 1; number < PROCESSORS; number++) {
        others[number].ring = limen_trace_ring((const seL4_Uint64 *)trace, number);
        while (limen_trace_next(&others[number], &record)) {
        }
        others[number].lost = 0;
    }
    recorded_begin(groups);
}

/* Replaces the records by those of another processor. */
static void look_at(seL4_Word number)
{
    CHECK_EQUAL(others[number].lost, 0);
    count = 0;
    while (count < RECORDED_MOST && limen_trace_next(&others[number], &records[count])) {
        count++;
    }
}

static void call(void)
{
    microkit_ppcall(TO_SERVER, microkit_msginfo_new(0, 0));
}

/* Signals a program elsewhere, and waits until it has handled that. */
static void signal(microkit_channel channel, const seL4_Word *handled)
{
    seL4_Word before = load(handled);
    microkit_notify(channel);
    while (load(handled) == before) {
    }
}

static void each_processor_has_a_ring_of_its_own(void)
{
    const seL4_Uint64 *first = (const seL4_Uint64 *)trace;
    for (seL4_Word number = 0; number < PROCESSORS; number++) {
        const seL4_Uint64 *ring = limen_trace_ring(first, number);
        CHECK_EQUAL((seL4_Word)ring - trace, number * 0x9000);
        CHECK_EQUAL(ring[0], first[0]);
        CHECK_EQUAL(ring[LIMEN_TRACE_PROCESSOR], number);
        CHECK_EQUAL(ring[LIMEN_TRACE_SLOTS], SLOTS);
        CHECK_EQUAL(ring[LIMEN_TRACE_FREQUENCY], first[LIMEN_TRACE_FREQUENCY]);
    }
}

static void nothing_is_recorded_while_the_groups_are_off(void)
{
    begin(0);
    call();
    signal(TO_WAITER, &all()->waited);
    signal(TO_WRITER, &all()->written);
    recorded_end(0);
    for (seL4_Word number = 0; number < PROCESSORS; number++) {
        CHECK_EQUAL(limen_trace_ring((const seL4_Uint64 *)trace, number)[LIMEN_TRACE_COUNT],
                    number ? others[number].next : cursor.next);
    }
}

/* The call leaves here, is received there, and its reply comes back. All clocks agree. */
static void a_call_is_recorded_on_both_processors(void)
{
    seL4_Word groups = GROUP(THREADS) | GROUP(MESSAGES);
    begin(groups);
    call();
    recorded_end(groups);
    seL4_Word at = recorded_find(0, limen_traced_call_elsewhere, TESTER);
    CHECK_RECORD(at, limen_traced_call_elsewhere, TESTER, NO_THREAD);
    CHECK_EQUAL(records[at].second >> 16 & 0xffff, 1);
    CHECK_RECORD(at + 1, limen_traced_block, TESTER, limen_trace_at_processor);
    CHECK_EQUAL(records[at + 1].second, 1);
    CHECK_RECORD(at + 2, limen_traced_switch, TESTER, NO_THREAD);
    CHECK_RECORD(at + 3, limen_traced_wake, NO_THREAD, TESTER);
    CHECK_RECORD(at + 4, limen_traced_switch, NO_THREAD, TESTER);
    seL4_Uint64 times[] = { records[at].time, records[at + 3].time };
    CHECK_EQUAL(recorded_count(limen_traced_reply), 0);

    look_at(1);
    at = recorded_find(0, limen_traced_call, TESTER);
    CHECK_RECORD(at, limen_traced_call, TESTER, SERVER);
    CHECK_RECORD(at + 1, limen_traced_switch, NO_THREAD, SERVER);
    CHECK_RECORD(at + 2, limen_traced_reply, SERVER, TESTER);
    CHECK_RECORD(at + 3, limen_traced_block, SERVER, limen_trace_at_endpoint);
    CHECK_RECORD(at + 4, limen_traced_switch, SERVER, NO_THREAD);
    CHECK(times[0] <= records[at].time && records[at].time <= records[at + 2].time);
    CHECK(records[at + 2].time <= times[1]);
    for (seL4_Word number = 2; number < PROCESSORS; number++) {
        look_at(number);
        CHECK_EQUAL(recorded_count(limen_traced_call) + recorded_count(limen_traced_reply), 0);
    }
}

static void a_signal_is_recorded_on_both_processors(void)
{
    seL4_Word groups = GROUP(THREADS) | GROUP(MESSAGES) | GROUP(INTERRUPTS);
    begin(groups);
    signal(TO_WAITER, &all()->waited);
    recorded_end(groups);
    seL4_Word at = recorded_find(0, limen_traced_signal_elsewhere, TESTER);
    CHECK_RECORD(at, limen_traced_signal_elsewhere, TESTER, NO_THREAD);
    CHECK_EQUAL(records[at].second >> 16 & 0xffff, 2);
    CHECK_EQUAL(records[at].second >> 32, 1);
    seL4_Word notification = records[at].second & 0xffff;
    seL4_Uint64 time = records[at].time;

    look_at(2);
    at = recorded_find(0, limen_traced_wake, NO_THREAD);
    CHECK_RECORD(at - 1, limen_traced_interrupt, NO_THREAD, LIMEN_TRACE_MESSAGE);
    CHECK_RECORD(at, limen_traced_wake, NO_THREAD, WAITER);
    CHECK_EQUAL(records[at].second, 1 + notification);
    CHECK_RECORD(at + 1, limen_traced_switch, NO_THREAD, WAITER);
    CHECK(time <= records[at].time);
}

static void programs_write_into_the_ring_of_their_processor(void)
{
    begin(GROUP(PROGRAMS));
    limen_trace_event("here", 1);
    seL4_Word written = load(&all()->written);
    signal(TO_WRITER, &all()->written);
    recorded_end(GROUP(PROGRAMS));
    CHECK_EQUAL(count, 1);
    CHECK_RECORD(0, limen_traced_event, TESTER, records[0].first);
    look_at(3);
    CHECK_EQUAL(count, 1);
    CHECK_RECORD(0, limen_traced_event, WRITER, records[0].first);
    CHECK_EQUAL(records[0].second, written);
}

/* The other processors learn of a change while they are idle. */
static void a_group_that_is_on_again_begins_with_a_switch(void)
{
    for (int round = 0; round < 3; round++) {
        begin(GROUP(THREADS));
        signal(TO_WAITER, &all()->waited);
        recorded_end(GROUP(THREADS));
        look_at(2);
        CHECK_RECORD(0, limen_traced_switch, NO_THREAD, NO_THREAD);
        CHECK_RECORD(1, limen_traced_wake, NO_THREAD, WAITER);
        CHECK_RECORD(2, limen_traced_switch, NO_THREAD, WAITER);
    }
}

static void changes_of_keys_name_the_program_that_asked(void)
{
    begin(GROUP(MEMORY));
    CHECK_EQUAL(limen_key_enable(SPARE), seL4_NoError);
    CHECK_EQUAL(limen_key_disable(SPARE), seL4_NoError);
    recorded_end(GROUP(MEMORY));
    /* The keys of this system: the declared one first. That of the group comes before it. */
    seL4_Word on = recorded_find(0, limen_traced_key, TESTER);
    while (on < count && records[on].first != 0) {
        on = recorded_find(on + 1, limen_traced_key, TESTER);
    }
    seL4_Word off = recorded_find(on + 1, limen_traced_key, TESTER);
    CHECK_RECORD(on, limen_traced_key, TESTER, 0);
    CHECK_RECORD(off, limen_traced_key, TESTER, 0);
    CHECK_EQUAL(records[on].second & 1, 1);
    CHECK_EQUAL(records[off].second & 1, 0);
}

/* Numbers have no gap, and times do not run backwards in a ring. */
static void no_record_is_missing(void)
{
    seL4_Word groups = GROUP(ENTRIES) | GROUP(THREADS) | GROUP(MESSAGES);
    begin(groups);
    for (int i = 0; i < 8; i++) {
        call();
        signal(TO_WAITER, &all()->waited);
        signal(TO_WRITER, &all()->written);
    }
    recorded_end(groups);
    CHECK_EQUAL(recorded_count(limen_traced_call_elsewhere), 8);
    CHECK_EQUAL(recorded_count(limen_traced_signal_elsewhere), 16);
    for (seL4_Word number = 0; number < PROCESSORS; number++) {
        if (number) {
            look_at(number);
            CHECK(count >= 8);
        }
        for (seL4_Word i = 1; i < count; i++) {
            CHECK_EQUAL(records[i].number, records[0].number + i);
            CHECK(records[i].time >= records[i - 1].time);
        }
    }
}

/* As many records as fit into three rings. */
static void a_full_ring_leaves_the_others_alone(void)
{
    begin(GROUP(PROGRAMS));
    for (seL4_Word i = 0; i < 3 * SLOTS; i++) {
        limen_trace_event("fill", i);
    }
    recorded_end(GROUP(PROGRAMS));
    CHECK_EQUAL(count, SLOTS);
    CHECK_EQUAL(cursor.lost, 2 * SLOTS);
    for (seL4_Word number = 1; number < PROCESSORS; number++) {
        look_at(number);
        CHECK_EQUAL(count, 0);
    }
}

void init(void)
{
    /* Now the others have started, and wait. */
    call();
    signal(TO_WAITER, &all()->waited);
    signal(TO_WRITER, &all()->written);
    RUN(each_processor_has_a_ring_of_its_own);
    RUN(nothing_is_recorded_while_the_groups_are_off);
    RUN(a_call_is_recorded_on_both_processors);
    RUN(a_signal_is_recorded_on_both_processors);
    RUN(programs_write_into_the_ring_of_their_processor);
    RUN(a_group_that_is_on_again_begins_with_a_switch);
    RUN(changes_of_keys_name_the_program_that_asked);
    RUN(no_record_is_missing);
    RUN(a_full_ring_leaves_the_others_alone);
    suite_end();
}

void notified(microkit_channel channel)
{
    (void)channel;
}
