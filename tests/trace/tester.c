/* Reads the trace of what it and its peers do. */

#include <limen.h>
#include <limen/static_key.h>
#include <limen/trace.h>

#include "orders.h"
#include "recorded.h"
#include "test.h"

/* Threads, in the order of the description. */
enum { UART, TESTER, HOSTILE, OUTSIDER, SERVER, ACTIVE, WAITER, SPINNER };

/* Channels. */
#define TO_SERVER 1
#define TO_ACTIVE 2
#define TO_WAITER 3
#define TO_HOSTILE 4
#define TO_SPINNER 5
#define TO_OUTSIDER 6

#define OUTSIDER_CHILD 1

/* Keys. */
#define SPARE TRACE_GROUPS

#define SLOTS (0x8000 / 32)
_Static_assert(SLOTS == RECORDED_MOST, "a test looks at all of the ring");

LIMEN_STATIC_KEY_FALSE(spare);

static void call(microkit_channel channel)
{
    microkit_mr_set(0, 5);
    microkit_ppcall(channel, microkit_msginfo_new(0, 1));
}

static void nothing_is_recorded_while_the_groups_are_off(void)
{
    recorded_begin(0);
    call(TO_SERVER);
    microkit_notify(TO_WAITER);
    microkit_notify(TO_WAITER);
    limen_trace_event("off", 1);
    limen_trace_write(limen_traced_event, 2);
    recorded_end(0);
    CHECK_EQUAL(count, 0);
    CHECK_EQUAL(cursor.ring[LIMEN_TRACE_COUNT], cursor.next);
}

/* A call and the reply to it: every record, in order. The server's time is the caller's own, or not. */
static void check_call(microkit_channel channel, seL4_Word server)
{
    seL4_Word groups = GROUP(ENTRIES) | GROUP(THREADS) | GROUP(MESSAGES);
    recorded_begin(groups);
    call(channel);
    recorded_end(groups);
    recorded_remove_interrupts();
    seL4_Word at = recorded_find(0, limen_traced_call, TESTER) - 1;
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
    recorded_begin(groups);
    microkit_notify(TO_WAITER);
    microkit_notify(TO_WAITER);
    recorded_end(groups);
    seL4_Word at = recorded_find(0, limen_traced_signal, TESTER);
    CHECK_RECORD(at, limen_traced_signal, TESTER, WAITER);
    CHECK_EQUAL(records[at].second, 1);
    CHECK_RECORD(at + 1, limen_traced_switch, TESTER, WAITER);
    CHECK_RECORD(at + 2, limen_traced_block, WAITER, limen_trace_at_notification);
    CHECK_RECORD(at + 3, limen_traced_switch, WAITER, TESTER);
    CHECK_EQUAL(recorded_count(limen_traced_entry), 0);
}

/* Records are numbered without a gap, time does not run backwards, and entries and exits alternate. */
static void no_record_is_missing(void)
{
    seL4_Word groups = GROUP(ENTRIES) | GROUP(THREADS) | GROUP(MESSAGES);
    recorded_begin(groups);
    for (int i = 0; i < 10; i++) {
        call(i % 2 ? TO_SERVER : TO_ACTIVE);
    }
    recorded_end(groups);
    CHECK_EQUAL(recorded_count(limen_traced_call), 10);
    CHECK_EQUAL(recorded_count(limen_traced_reply), 10);
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
    recorded_begin(GROUP(MESSAGES));
    call(TO_ACTIVE);
    recorded_end(GROUP(MESSAGES));
    CHECK_EQUAL(recorded_count(limen_traced_call), 1);
    CHECK_EQUAL(recorded_count(limen_traced_reply), 1);
    CHECK_EQUAL(count, 2);
    recorded_begin(GROUP(THREADS));
    call(TO_ACTIVE);
    recorded_end(GROUP(THREADS));
    CHECK_EQUAL(recorded_count(limen_traced_switch), 3);
    CHECK_EQUAL(recorded_count(limen_traced_call), 0);
}

static void the_timer_is_recorded(void)
{
    recorded_begin(GROUP(INTERRUPTS));
    seL4_Uint64 start = cursor.ring[LIMEN_TRACE_COUNT];
    for (seL4_Word i = 0; i < 200000000 && __atomic_load_n(&cursor.ring[LIMEN_TRACE_COUNT], __ATOMIC_RELAXED) == start; i++) {
    }
    recorded_end(GROUP(INTERRUPTS));
    CHECK(count > 0);
    CHECK_RECORD(0, limen_traced_interrupt, TESTER, LIMEN_TRACE_TIMER);
}

/* The spinner has no budget left, and waits for more. */
static void the_end_of_a_budget_is_recorded(void)
{
    seL4_Word groups = GROUP(TIME) | GROUP(THREADS);
    recorded_begin(groups);
    microkit_notify(TO_SPINNER);
    recorded_end(groups);
    seL4_Word at = recorded_find(0, limen_traced_budget, SPINNER);
    CHECK(at < count);
    seL4_Word waits = recorded_find(at, limen_traced_block, SPINNER);
    CHECK_RECORD(waits, limen_traced_block, SPINNER, limen_trace_at_budget);
    /* It waits for the budget that ended. */
    CHECK_EQUAL(records[waits].second, records[at].first);
    CHECK_EQUAL(recorded_count(limen_traced_budget), 1);
    /* Up to 100 microseconds were left when it began, and nothing when it stopped. The tester has no limit. */
    seL4_Word begins = recorded_find(0, limen_traced_left, SPINNER);
    CHECK_RECORD(begins, limen_traced_left, SPINNER, SPINNER);
    CHECK(begins < at && records[begins].second > 0);
    CHECK(records[begins].second <= limen_trace_frequency(&cursor) / 10000 + 1);
    CHECK_EQUAL(records[at + 1].kind, limen_traced_left);
    CHECK_EQUAL(records[at + 1].first, SPINNER);
    CHECK_EQUAL(records[at + 1].second, 0);
    CHECK_EQUAL(recorded_count(limen_traced_left), 2);
}

static void a_key_is_recorded_with_its_branches(void)
{
    recorded_begin(GROUP(MEMORY));
    CHECK_EQUAL(limen_key_enable(SPARE), seL4_NoError);
    int is_on = limen_static_branch_unlikely(spare);
    CHECK_EQUAL(limen_key_disable(SPARE), seL4_NoError);
    recorded_end(GROUP(MEMORY));
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
    recorded_begin(GROUP(MEMORY));
    CHECK_EQUAL(limen_digest(0, &digest), seL4_NoError);
    recorded_end(GROUP(MEMORY));
    CHECK_RECORD(recorded_find(0, limen_traced_work_begin, TESTER), limen_traced_work_begin, TESTER, 0);
    seL4_Word begun = recorded_find(0, limen_traced_work_begin, TESTER);
    CHECK_RECORD(recorded_find(begun, limen_traced_work_end, TESTER), limen_traced_work_end, TESTER, 0);
}

static void programs_record_events(void)
{
    recorded_begin(GROUP(PROGRAMS));
    limen_trace_event("first event", 1);
    limen_trace_begin("a span", 2);
    limen_trace_counter("a counter", 3);
    limen_trace_end("a span", 4);
    recorded_end(GROUP(PROGRAMS));
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
    recorded_begin(groups);
    limen_trace_event("before", 0);
    call(TO_SERVER);
    limen_trace_event("after", 0);
    recorded_end(groups);
    CHECK_EQUAL(count, 4);
    CHECK_RECORD(1, limen_traced_call, TESTER, SERVER);
    CHECK_RECORD(2, limen_traced_reply, SERVER, TESTER);
    CHECK_EQUAL(records[0].kind, limen_traced_event);
    CHECK_EQUAL(records[3].kind, limen_traced_event);
}

static void registers_survive_an_event(void)
{
    recorded_begin(GROUP(PROGRAMS));
    register seL4_Word number __asm__(LIMEN_REGISTER_NUMBER) = (seL4_Word)limen_SysTrace;
    register seL4_Word cptr __asm__(LIMEN_REGISTER_CPTR) = limen_traced_event;
    register seL4_Word info __asm__(LIMEN_REGISTER_INFO) = 0x1234;
    register seL4_Word mr0 __asm__(LIMEN_REGISTER_MR0) = 0x5678;
    __asm__ volatile (LIMEN_TRAP : "+r"(number), "+r"(cptr), "+r"(info), "+r"(mr0) : : LIMEN_TRAP_CLOBBERS);
    seL4_Word after[] = { number, cptr, info, mr0 };
    recorded_end(GROUP(PROGRAMS));
    CHECK_EQUAL(after[0], (seL4_Word)limen_SysTrace);
    CHECK_EQUAL(after[1], limen_traced_event);
    CHECK_EQUAL(after[2], 0x1234);
    CHECK_EQUAL(after[3], 0x5678);
    CHECK_EQUAL(count, 1);
}

/* The oldest records are overwritten, and the reader learns how many. */
static void an_overrun_leaves_a_gap(void)
{
    recorded_begin(GROUP(PROGRAMS));
    seL4_Uint64 first = cursor.next;
    for (seL4_Word i = 0; i < 2 * SLOTS + 7; i++) {
        limen_trace_event("flood", i);
    }
    recorded_end(GROUP(PROGRAMS));
    CHECK_EQUAL(cursor.lost, SLOTS + 7);
    CHECK_EQUAL(count, SLOTS);
    for (seL4_Word i = 0; i < count; i++) {
        CHECK_EQUAL(records[i].number, first + SLOTS + 7 + i);
        CHECK_EQUAL(records[i].second, SLOTS + 7 + i);
    }
}

static void the_ring_has_the_size_of_the_description(void)
{
    recorded_begin(0);
    CHECK_EQUAL(cursor.ring[LIMEN_TRACE_SLOTS], SLOTS);
    CHECK(limen_trace_frequency(&cursor) >= 1000000);
}

extern char _start[];

/* It can neither read nor write nor switch the trace: its accesses fault, and only the tester's own keys change the groups. */
static void a_program_without_the_right_cannot_reach_the_trace(void)
{
    static const seL4_Word places[] = { OUTSIDERS_PLACES };
    seL4_Word groups = GROUP(MESSAGES) | GROUP(MEMORY), faults = 2 * sizeof(places) / sizeof(*places);
    recorded_begin(groups);
    microkit_notify(TO_OUTSIDER);
    for (seL4_Word i = 0; i < faults; i++) {
        seL4_Word badge;
        seL4_MessageInfo_t fault = seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
        CHECK_EQUAL(badge & 0xff, OUTSIDER_CHILD);
        CHECK_EQUAL(seL4_MessageInfo_get_label(fault), seL4_Fault_VMFault);
        CHECK_EQUAL(seL4_GetMR(seL4_VMFault_Addr), places[i / 2]);
        if (i + 1 < faults) {
            microkit_pd_restart(OUTSIDER_CHILD, (seL4_Word)_start);
        }
    }
    recorded_end(groups);
    CHECK_EQUAL(poll_signals(), 0);
    CHECK_EQUAL(recorded_find(0, limen_traced_key, OUTSIDER), count);
    CHECK_EQUAL(recorded_count(limen_traced_fault), faults);
    seL4_Word at = 0;
    for (seL4_Word i = 0; i < faults; i++) {
        at = recorded_find(at, limen_traced_fault, OUTSIDER);
        CHECK_RECORD(at, limen_traced_fault, OUTSIDER, seL4_Fault_VMFault);
        CHECK_EQUAL(records[at].second, places[i / 2]);
        at++;
    }
}

static seL4_Word faulted_at;

/* The hostile child floods the ring, fails to switch keys, and faults when it writes to the ring. */
static void hostile_records_name_their_thread(void)
{
    recorded_end(GROUP(PROGRAMS) | GROUP(MESSAGES));
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
    seL4_Word at = recorded_find(0, limen_traced_fault, HOSTILE);
    CHECK_RECORD(at, limen_traced_fault, HOSTILE, seL4_Fault_VMFault);
    CHECK_EQUAL(records[at].second, 0x5000000);
}

void init(void)
{
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
    RUN(a_program_without_the_right_cannot_reach_the_trace);
    recorded_begin(GROUP(PROGRAMS) | GROUP(MESSAGES));
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
