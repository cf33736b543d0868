/* Reads the trace of what it and its peers do. */

#include <limen.h>
#include <limen/static_key.h>
#include <limen/trace.h>

#include "orders.h"
#include "test.h"

/* Set by the tool. */
seL4_Word trace;

/* Threads, in the order of the description. */
enum { UART, TESTER, HOSTILE, SERVER, ACTIVE, WAITER, SPINNER };

/* Channels. */
#define TO_SERVER 1
#define TO_ACTIVE 2
#define TO_WAITER 3
#define TO_HOSTILE 4
#define TO_SPINNER 5

/* Keys. */
enum { ENTRIES, THREADS, MESSAGES, INTERRUPTS, TIME, MEMORY, PROGRAMS, SPARE };
#define ALL 7

#define SLOTS (0x8000 / 32)

LIMEN_STATIC_KEY_FALSE(spare);

static limen_trace_cursor_t cursor;
static limen_trace_record_t records[SLOTS];
static seL4_Word count;

/* Skips what was recorded so far, and turns these groups on. */
static void begin(seL4_Word groups)
{
    limen_trace_record_t record;
    cursor.ring = (const seL4_Uint64 *)trace;
    while (limen_trace_next(&cursor, &record)) {
    }
    cursor.lost = 0;
    for (seL4_Word key = 0; key < ALL; key++) {
        if (groups & 1ul << key) {
            CHECK_EQUAL(limen_key_enable(key), seL4_NoError);
        }
    }
}

/* Turns groups off, and reads what was recorded. */
static void end(seL4_Word groups)
{
    for (seL4_Word key = 0; key < ALL; key++) {
        if (groups & 1ul << key) {
            CHECK_EQUAL(limen_key_disable(key), seL4_NoError);
        }
    }
    count = 0;
    while (count < SLOTS && limen_trace_next(&cursor, &records[count])) {
        count++;
    }
}

/* Removes what interrupts record, which may come at any time: all from the entry to the exit. */
static void remove_interrupts(void)
{
    seL4_Word kept = 0;
    int is_inside = 0;
    for (seL4_Word i = 0; i < count; i++) {
        is_inside |= records[i].kind == limen_traced_entry && records[i].first == limen_trace_by_interrupt;
        if (!is_inside) {
            records[kept++] = records[i];
        }
        is_inside &= records[i].kind != limen_traced_exit;
    }
    count = kept;
}

#define GROUP(key) (1ul << (key))

/* The position of the next such record, or the number of records. */
static seL4_Word find(seL4_Word from, limen_trace_kind_t kind, seL4_Word thread)
{
    while (from < count && (records[from].kind != (seL4_Uint64)kind || records[from].thread != thread)) {
        from++;
    }
    return from;
}

static seL4_Word how_many(limen_trace_kind_t kind)
{
    seL4_Word found = 0;
    for (seL4_Word i = 0; i < count; i++) {
        found += records[i].kind == (seL4_Uint64)kind;
    }
    return found;
}

/* Whether the record at this position is this one. */
static void check_record(seL4_Word at, limen_trace_kind_t kind, seL4_Word thread, seL4_Word first, int line)
{
    check(at < count, "the record exists", line);
    if (at < count) {
        check_equal(records[at].kind, kind, "kind", line);
        check_equal(records[at].thread, thread, "thread", line);
        check_equal(records[at].first, first, "first", line);
    }
}
#define CHECK_RECORD(at, kind, thread, first) check_record(at, kind, thread, first, __LINE__)

static void call(microkit_channel channel)
{
    microkit_mr_set(0, 5);
    microkit_ppcall(channel, microkit_msginfo_new(0, 1));
}

static void nothing_is_recorded_while_the_groups_are_off(void)
{
    begin(0);
    call(TO_SERVER);
    microkit_notify(TO_WAITER);
    microkit_notify(TO_WAITER);
    limen_trace_event("off", 1);
    limen_trace_write(limen_traced_event, 2);
    end(0);
    CHECK_EQUAL(count, 0);
    CHECK_EQUAL(cursor.ring[LIMEN_TRACE_COUNT], cursor.next);
}

/* A call and the reply to it: every record, in order. The server's time is the caller's own, or not. */
static void check_call(microkit_channel channel, seL4_Word server)
{
    seL4_Word groups = GROUP(ENTRIES) | GROUP(THREADS) | GROUP(MESSAGES);
    begin(groups);
    call(channel);
    end(groups);
    remove_interrupts();
    seL4_Word at = find(0, limen_traced_call, TESTER) - 1;
    CHECK_RECORD(at, limen_traced_entry, TESTER, (seL4_Uint32)seL4_SysCall);
    CHECK_RECORD(at + 1, limen_traced_call, TESTER, server);
    CHECK_EQUAL(records[at + 1].second & 0xffff, 1);
    seL4_Word next = at + 2;
    CHECK_RECORD(next, limen_traced_block, TESTER, limen_trace_at_reply);
    /* A passive server has had no time until now, and an active one was waiting: either is ready now. */
    CHECK_RECORD(next + 1, limen_traced_switch, TESTER, server);
    CHECK_RECORD(next + 2, limen_traced_exit, server, 0);
    CHECK_RECORD(next + 3, limen_traced_entry, server, (seL4_Uint32)seL4_SysReplyRecv);
    CHECK_RECORD(next + 4, limen_traced_reply, server, TESTER);
    CHECK_RECORD(next + 5, limen_traced_block, server, limen_trace_at_endpoint);
    CHECK_RECORD(next + 6, limen_traced_switch, server, TESTER);
    CHECK_EQUAL(records[next + 6].second, 100);
    CHECK_RECORD(next + 7, limen_traced_exit, TESTER, 0);
}

static void a_call_to_a_passive_server_is_recorded(void)
{
    check_call(TO_SERVER, SERVER);
}

static void a_call_to_an_active_server_is_recorded(void)
{
    check_call(TO_ACTIVE, ACTIVE);
}

static void a_signal_is_recorded_with_the_thread_that_it_wakes(void)
{
    seL4_Word groups = GROUP(THREADS) | GROUP(MESSAGES);
    begin(groups);
    microkit_notify(TO_WAITER);
    microkit_notify(TO_WAITER);
    end(groups);
    seL4_Word at = find(0, limen_traced_signal, TESTER);
    CHECK_RECORD(at, limen_traced_signal, TESTER, WAITER);
    CHECK_EQUAL(records[at].second, 1);
    CHECK_RECORD(at + 1, limen_traced_switch, TESTER, WAITER);
    CHECK_RECORD(at + 2, limen_traced_block, WAITER, limen_trace_at_notification);
    CHECK_RECORD(at + 3, limen_traced_switch, WAITER, TESTER);
    CHECK_EQUAL(how_many(limen_traced_entry), 0);
}

/* Records are numbered without a gap, time does not run backwards, and entries and exits alternate. */
static void no_record_is_missing(void)
{
    seL4_Word groups = GROUP(ENTRIES) | GROUP(THREADS) | GROUP(MESSAGES);
    begin(groups);
    for (int i = 0; i < 10; i++) {
        call(i % 2 ? TO_SERVER : TO_ACTIVE);
    }
    end(groups);
    CHECK_EQUAL(how_many(limen_traced_call), 10);
    CHECK_EQUAL(how_many(limen_traced_reply), 10);
    CHECK_EQUAL(cursor.lost, 0);
    seL4_Uint64 running = TESTER;
    int is_inside = 1;
    for (seL4_Word i = 0; i < count; i++) {
        CHECK_EQUAL(records[i].number, records[0].number + i);
        CHECK(i == 0 || records[i].time >= records[i - 1].time);
        if (records[i].kind == limen_traced_entry) {
            CHECK(i == 0 || !is_inside);
            CHECK_EQUAL(records[i].thread, running);
            is_inside = 1;
        } else if (records[i].kind == limen_traced_exit) {
            CHECK(is_inside);
            CHECK_EQUAL(records[i].thread, running);
            is_inside = 0;
        } else if (records[i].kind == limen_traced_switch) {
            CHECK(records[i].thread == running || records[i].thread == LIMEN_TRACE_NO_THREAD);
            running = records[i].first;
        }
    }
    CHECK_EQUAL(running, TESTER);
}

static void groups_record_only_their_kinds(void)
{
    begin(GROUP(MESSAGES));
    call(TO_ACTIVE);
    end(GROUP(MESSAGES));
    CHECK_EQUAL(how_many(limen_traced_call), 1);
    CHECK_EQUAL(how_many(limen_traced_reply), 1);
    CHECK_EQUAL(count, 2);
    begin(GROUP(THREADS));
    call(TO_ACTIVE);
    end(GROUP(THREADS));
    CHECK_EQUAL(how_many(limen_traced_switch), 3);
    CHECK_EQUAL(how_many(limen_traced_call), 0);
}

static void the_timer_is_recorded(void)
{
    begin(GROUP(INTERRUPTS));
    seL4_Uint64 start = cursor.ring[LIMEN_TRACE_COUNT];
    for (seL4_Word i = 0; i < 200000000 && __atomic_load_n(&cursor.ring[LIMEN_TRACE_COUNT], __ATOMIC_RELAXED) == start; i++) {
    }
    end(GROUP(INTERRUPTS));
    CHECK(count > 0);
    CHECK_RECORD(0, limen_traced_interrupt, TESTER, LIMEN_TRACE_TIMER);
}

/* The spinner has no budget left, and waits for more. */
static void the_end_of_a_budget_is_recorded(void)
{
    seL4_Word groups = GROUP(TIME) | GROUP(THREADS);
    begin(groups);
    microkit_notify(TO_SPINNER);
    end(groups);
    seL4_Word at = find(0, limen_traced_budget, SPINNER);
    CHECK(at < count);
    seL4_Word waits = find(at, limen_traced_block, SPINNER);
    CHECK_RECORD(waits, limen_traced_block, SPINNER, limen_trace_at_budget);
}

static void a_key_is_recorded_with_its_branches(void)
{
    begin(GROUP(MEMORY));
    CHECK_EQUAL(limen_key_enable(SPARE), seL4_NoError);
    int is_on = limen_static_branch_unlikely(spare);
    CHECK_EQUAL(limen_key_disable(SPARE), seL4_NoError);
    end(GROUP(MEMORY));
    CHECK_EQUAL(is_on, 1);
    CHECK_EQUAL(count, 2);
    /* The keys of this system: the declared one first. One branch. */
    CHECK_RECORD(0, limen_traced_key, TESTER, 0);
    CHECK_EQUAL(records[0].second, 1 | 1 << 1);
    CHECK_RECORD(1, limen_traced_key, TESTER, 0);
    CHECK_EQUAL(records[1].second, 0 | 1 << 1);
}

static void the_work_of_a_service_is_recorded(void)
{
    limen_digest_t digest;
    begin(GROUP(MEMORY));
    CHECK_EQUAL(limen_digest(0, &digest), seL4_NoError);
    end(GROUP(MEMORY));
    CHECK_RECORD(find(0, limen_traced_work_begin, TESTER), limen_traced_work_begin, TESTER, 0);
    seL4_Word begun = find(0, limen_traced_work_begin, TESTER);
    CHECK_RECORD(find(begun, limen_traced_work_end, TESTER), limen_traced_work_end, TESTER, 0);
}

static void programs_record_events(void)
{
    begin(GROUP(PROGRAMS));
    limen_trace_event("first event", 1);
    limen_trace_begin("a span", 2);
    limen_trace_counter("a counter", 3);
    limen_trace_end("a span", 4);
    end(GROUP(PROGRAMS));
    CHECK_EQUAL(count, 4);
    static const seL4_Word kinds[] = { limen_traced_event, limen_traced_span_begin, limen_traced_counter,
                                       limen_traced_span_end };
    for (seL4_Word i = 0; i < count; i++) {
        CHECK_EQUAL(records[i].kind, kinds[i]);
        CHECK_EQUAL(records[i].thread, TESTER);
        CHECK_EQUAL(records[i].second, i + 1);
        /* Each use has its own name, and all lie in a small section. */
        CHECK(records[i].first < 0x1000);
        CHECK(i == 0 || records[i].first != records[i - 1].first);
    }
}

static void events_lie_between_the_kernels_own(void)
{
    seL4_Word groups = GROUP(PROGRAMS) | GROUP(MESSAGES);
    begin(groups);
    limen_trace_event("before", 0);
    call(TO_SERVER);
    limen_trace_event("after", 0);
    end(groups);
    CHECK_EQUAL(count, 4);
    CHECK_RECORD(1, limen_traced_call, TESTER, SERVER);
    CHECK_RECORD(2, limen_traced_reply, SERVER, TESTER);
    CHECK_EQUAL(records[0].kind, limen_traced_event);
    CHECK_EQUAL(records[3].kind, limen_traced_event);
}

static void registers_survive_an_event(void)
{
    begin(GROUP(PROGRAMS));
    register seL4_Word number __asm__(LIMEN_REGISTER_NUMBER) = (seL4_Word)limen_SysTrace;
    register seL4_Word cptr __asm__(LIMEN_REGISTER_CPTR) = limen_traced_event;
    register seL4_Word info __asm__(LIMEN_REGISTER_INFO) = 0x1234;
    register seL4_Word mr0 __asm__(LIMEN_REGISTER_MR0) = 0x5678;
    __asm__ volatile (LIMEN_TRAP : "+r"(number), "+r"(cptr), "+r"(info), "+r"(mr0) : : LIMEN_TRAP_CLOBBERS);
    seL4_Word after[] = { number, cptr, info, mr0 };
    end(GROUP(PROGRAMS));
    CHECK_EQUAL(after[0], (seL4_Word)limen_SysTrace);
    CHECK_EQUAL(after[1], limen_traced_event);
    CHECK_EQUAL(after[2], 0x1234);
    CHECK_EQUAL(after[3], 0x5678);
    CHECK_EQUAL(count, 1);
}

/* The oldest records are overwritten, and the reader learns how many. */
static void an_overrun_leaves_a_gap(void)
{
    begin(GROUP(PROGRAMS));
    seL4_Uint64 first = cursor.next;
    for (seL4_Word i = 0; i < 2 * SLOTS + 7; i++) {
        limen_trace_event("flood", i);
    }
    end(GROUP(PROGRAMS));
    CHECK_EQUAL(cursor.lost, SLOTS + 7);
    CHECK_EQUAL(count, SLOTS);
    for (seL4_Word i = 0; i < count; i++) {
        CHECK_EQUAL(records[i].number, first + SLOTS + 7 + i);
        CHECK_EQUAL(records[i].second, SLOTS + 7 + i);
    }
}

static void the_ring_has_the_size_of_the_description(void)
{
    CHECK_EQUAL(cursor.ring[LIMEN_TRACE_SLOTS], SLOTS);
    CHECK(limen_trace_frequency(&cursor) >= 1000000);
}

static seL4_Word faulted_at;

/* The hostile child floods the ring, fails to switch keys, and faults when it writes to the ring. */
static void hostile_records_name_their_thread(void)
{
    end(GROUP(PROGRAMS) | GROUP(MESSAGES));
    CHECK_EQUAL(count, SLOTS);
    CHECK(cursor.lost > FORGED - SLOTS);
    seL4_Word forged = 0;
    for (seL4_Word i = 0; i < count; i++) {
        seL4_Uint64 kind = records[i].kind;
        int is_program = kind >= limen_traced_event && kind <= limen_traced_counter;
        CHECK(is_program || kind == limen_traced_fault || kind == limen_traced_call || kind == limen_traced_signal);
        if (is_program) {
            CHECK_EQUAL(records[i].thread, HOSTILE);
            CHECK_EQUAL(records[i].first, 0xffffffff);
            CHECK_EQUAL(records[i].second, FORGED_VALUE);
            forged++;
        }
    }
    CHECK(forged > SLOTS - 100);
    CHECK_EQUAL(faulted_at, 0x5000000);
    seL4_Word at = find(0, limen_traced_fault, HOSTILE);
    CHECK_RECORD(at, limen_traced_fault, HOSTILE, seL4_Fault_VMFault);
    CHECK_EQUAL(records[at].second, 0x5000000);
}

void init(void)
{
    cursor.ring = (const seL4_Uint64 *)trace;
    RUN(the_ring_has_the_size_of_the_description);
    RUN(nothing_is_recorded_while_the_groups_are_off);
    RUN(a_call_to_a_passive_server_is_recorded);
    RUN(a_call_to_an_active_server_is_recorded);
    RUN(a_signal_is_recorded_with_the_thread_that_it_wakes);
    RUN(no_record_is_missing);
    RUN(groups_record_only_their_kinds);
    RUN(the_timer_is_recorded);
    RUN(a_key_is_recorded_with_its_branches);
    RUN(the_work_of_a_service_is_recorded);
    RUN(programs_record_events);
    RUN(events_lie_between_the_kernels_own);
    RUN(registers_survive_an_event);
    RUN(an_overrun_leaves_a_gap);
    RUN(the_end_of_a_budget_is_recorded);
    begin(GROUP(PROGRAMS) | GROUP(MESSAGES));
    microkit_notify(TO_HOSTILE);
}

void notified(microkit_channel ch)
{
    (void)ch;
}

seL4_Bool fault(microkit_child child, microkit_msginfo msginfo, microkit_msginfo *reply)
{
    (void)child;
    (void)msginfo;
    (void)reply;
    faulted_at = seL4_GetMR(seL4_VMFault_Addr);
    RUN(hostile_records_name_their_thread);
    suite_end();
    return seL4_False;
}
