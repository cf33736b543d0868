/* Checks wiped memory. */

#include <limen.h>

#include "level.h"
#include "orders.h"
#include "recorded.h"
#include "test.h"

/* Set by the tool. */
seL4_Word orders;
seL4_Word keys;
seL4_Word secrets;

#define VAULT 0
#define HOLDER_CHANNEL 1
#define HOLDER 3

/* Threads, in the order of the description. */
enum { UART_THREAD, TESTER_THREAD, HOLDER_THREAD };

static struct orders *told(void)
{
    return (struct orders *)orders;
}

static void fill(seL4_Word at, seL4_Word words)
{
    for (seL4_Word i = 0; i < words; i++) {
        ((volatile seL4_Word *)at)[i] = ~i;
    }
}

/* How many words are not zero. */
static seL4_Word left(seL4_Word at, seL4_Word words)
{
    seL4_Word count = 0;
    for (seL4_Word i = 0; i < words; i++) {
        count += ((volatile seL4_Word *)at)[i] != 0;
    }
    return count;
}

static void an_interrupt_wipes_before_its_driver_runs(void)
{
    /* The line may have interrupted before any program could deassert it. */
    CHECK_EQUAL(wait_for_signals(), 1 << VAULT);
    for (int i = 0; i < 2; i++) {
        level_raise();
        CHECK_EQUAL(wait_for_signals(), 1 << VAULT);
    }
    seL4_Word settled = told()->interrupts;
    for (seL4_Word round = 1; round <= 3; round++) {
        fill(keys, KEYS_WORDS);
        fill(secrets, SECRETS_WORDS);
        level_raise();
        /* A processor may take the interrupt late. The last word is wiped last. */
        for (seL4_Word i = 0; i < 100000000 && ((volatile seL4_Word *)keys)[KEYS_WORDS - 1] != 0; i++) {
        }
        CHECK_EQUAL(left(keys, KEYS_WORDS), 0);
        CHECK_EQUAL(left(secrets, SECRETS_WORDS), SECRETS_WORDS);
        CHECK_EQUAL(told()->interrupts, settled + round - 1);
        CHECK_EQUAL(wait_for_signals(), 1 << VAULT);
        CHECK_EQUAL(told()->interrupts, settled + round);
    }
}

/* All or nothing: this program never sees a part. */
static void no_program_sees_a_part_of_it(void)
{
    volatile seL4_Word *all = (volatile seL4_Word *)keys;
    fill(keys, KEYS_WORDS);
    level_raise();
    while (all[0] != 0) {
    }
    CHECK_EQUAL(all[KEYS_WORDS - 1], 0);
    CHECK_EQUAL(wait_for_signals(), 1 << VAULT);
}

static void provoke_fault(void)
{
    seL4_Word badge;
    fill(keys, KEYS_WORDS);
    fill(secrets, SECRETS_WORDS);
    microkit_notify(HOLDER_CHANNEL);
    seL4_MessageInfo_t fault = seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
    CHECK_EQUAL(seL4_MessageInfo_get_label(fault), told()->bad_call ? seL4_Fault_CapFault : seL4_Fault_VMFault);
    CHECK_EQUAL(badge & 0xff, HOLDER);
    CHECK_EQUAL(left(secrets, SECRETS_WORDS), 0);
    CHECK_EQUAL(left(keys, KEYS_WORDS), KEYS_WORDS);
}

extern char _start[];

static void a_fault_wipes_before_its_handler_runs(void)
{
    for (seL4_Word round = 0; round < 4; round++) {
        told()->bad_call = round % 2;
        provoke_fault();
        microkit_pd_restart(HOLDER, (seL4_Word)_start);
    }
}

static void no_capability_requests_a_wipe(void)
{
    for (seL4_Word id = 0; id <= LIMEN_MAX_SERVICE_ID; id++) {
        CHECK_EQUAL(limen_reset(id), seL4_InvalidCapability);
    }
}

static void wipes_are_recorded_with_their_bytes(void)
{
    seL4_Word groups = GROUP(ENTRIES) | GROUP(INTERRUPTS) | GROUP(MEMORY);
    fill(keys, KEYS_WORDS);
    recorded_begin(groups);
    level_raise();
    while (((volatile seL4_Word *)keys)[KEYS_WORDS - 1] != 0) {
    }
    recorded_end(groups);
    CHECK_EQUAL(wait_for_signals(), 1 << VAULT);
    /* Within the interrupt, which has the line of the device. */
    seL4_Word at = recorded_find(0, limen_traced_wipe, TESTER_THREAD);
    CHECK_RECORD(at, limen_traced_wipe, TESTER_THREAD, records[at].first);
    CHECK_EQUAL(records[at].second, KEYS_WORDS * sizeof(seL4_Word));
    CHECK(at >= 2 && records[at - 1].first != LIMEN_TRACE_TIMER);
    CHECK_RECORD(at - 1, limen_traced_interrupt, TESTER_THREAD, records[at - 1].first);
    CHECK_RECORD(at - 2, limen_traced_entry, TESTER_THREAD, limen_trace_by_interrupt);
    CHECK_EQUAL(recorded_count(limen_traced_wipe), 1);
    seL4_Word of_keys = records[at].first;

    for (seL4_Word bad_call = 0; bad_call < 2; bad_call++) {
        told()->bad_call = bad_call;
        recorded_begin(GROUP(MEMORY));
        provoke_fault();
        recorded_end(GROUP(MEMORY));
        microkit_pd_restart(HOLDER, (seL4_Word)_start);
        at = recorded_find(0, limen_traced_wipe, HOLDER_THREAD);
        CHECK_RECORD(at, limen_traced_wipe, HOLDER_THREAD, !of_keys);
        CHECK_EQUAL(records[at].second, SECRETS_WORDS * sizeof(seL4_Word));
        CHECK_EQUAL(recorded_count(limen_traced_wipe), 1);
    }
}

void init(void)
{
    RUN(an_interrupt_wipes_before_its_driver_runs);
    RUN(no_program_sees_a_part_of_it);
    RUN(a_fault_wipes_before_its_handler_runs);
    RUN(wipes_are_recorded_with_their_bytes);
    RUN(no_capability_requests_a_wipe);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
