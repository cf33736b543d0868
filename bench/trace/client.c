/* Calls servers while groups of the trace are on, and passes tracepoints of its own.
 *
 * trace_call: between the two reads lies one protected call of a passive server, or with `budget=share` of an active one whose
 * budget is below its period, and its reply. `events` is the number of records that it writes.
 * trace_program: between the two reads lie eight tracepoints, off or on. */

#include <limen/trace.h>

#include "samples.h"

/* Set by the tool. */
seL4_Word trace;

#define SERVER 0
#define LIMITED 1
enum { ENTRIES, THREADS, MESSAGES, INTERRUPTS, TIME, PROGRAMS = 6 };
#define GROUP(key) (1ul << (key))

static struct samples samples;

static void set(seL4_Word groups, seL4_Error (*change)(seL4_Word id))
{
    for (seL4_Word key = 0; key <= PROGRAMS; key++) {
        if (groups & GROUP(key)) {
            bench_check(change(key) == seL4_NoError, "a group was not switched");
        }
    }
}

static seL4_Error enable(seL4_Word id)
{
    return limen_key_enable(id);
}

static seL4_Error disable(seL4_Word id)
{
    return limen_key_disable(id);
}

static seL4_Uint64 written(void)
{
    return __atomic_load_n(&((const seL4_Uint64 *)trace)[LIMEN_TRACE_COUNT], __ATOMIC_ACQUIRE);
}

LIMEN_INLINE seL4_Word round_trip(microkit_channel server)
{
    microkit_msginfo message = microkit_msginfo_new(0, 0);
    seL4_Word before = limen_counter();
    microkit_ppcall(server, message);
    return limen_counter() - before;
}

static seL4_Word call(void)
{
    return round_trip(SERVER);
}

static seL4_Word call_limited(void)
{
    return round_trip(LIMITED);
}

static seL4_Word pass(void)
{
    seL4_Word before = limen_counter();
    limen_trace_event("one", 1);
    limen_trace_event("two", 2);
    limen_trace_event("three", 3);
    limen_trace_event("four", 4);
    limen_trace_event("five", 5);
    limen_trace_event("six", 6);
    limen_trace_event("seven", 7);
    limen_trace_event("eight", 8);
    return limen_counter() - before;
}

static void measure(seL4_Word groups, seL4_Uint64 events, seL4_Word (*path)(void), const char *row)
{
    set(groups, enable);
    /* The first event records which thread runs. */
    path();
    seL4_Uint64 before = written();
    path();
    bench_check(written() - before == events, "the path does not write as many records as its row says");
    samples_start(&samples);
    while (samples_add(&samples, path())) {
    }
    set(groups, disable);
    samples_print(&samples, row);
}

void init(void)
{
    measure(0, 0, call, "trace_call groups=none events=0");
    measure(GROUP(INTERRUPTS), 0, call, "trace_call groups=interrupts events=0");
    measure(GROUP(ENTRIES), 4, call, "trace_call groups=entries events=4");
    measure(GROUP(MESSAGES), 2, call, "trace_call groups=messages events=2");
    measure(GROUP(THREADS), 4, call, "trace_call groups=threads events=4");
    measure(GROUP(ENTRIES) | GROUP(THREADS) | GROUP(MESSAGES), 10, call, "trace_call groups=all events=10");
    measure(0, 0, call_limited, "trace_call groups=none budget=share events=0");
    measure(GROUP(TIME), 2, call_limited, "trace_call groups=time budget=share events=2");
    measure(0, 0, pass, "trace_program key=off copies=8");
    measure(GROUP(PROGRAMS), 8, pass, "trace_program key=on copies=8");
    bench_done();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
