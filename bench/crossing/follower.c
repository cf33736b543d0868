/* Enters the kernel through events that stay armed, and reads their samples from a ring.
 *
 * cross_u2k and cross_k2u with samples=ring: the same as those of the meter, which reads each sample by a call.
 *
 * cross_sample samples=ring: as in the meter. */

#include "meter.h"

/* Set by the tool. */
seL4_Word ring;

static limen_ring_cursor_t cursor;

static void next(void (*cross)(limen_crossing_t *))
{
    pass_through(&pass, cross);
    bench_check(limen_probe_ring_next(&cursor, &sample), "an event was not sampled");
}

static void keep_armed(limen_probe_event_t event, seL4_Word first, void (*last)(void))
{
    seL4_Error error = limen_probe_arm(event, first, (seL4_Word)last, LIMEN_PROBE_EXIT | LIMEN_PROBE_EVERY);
    bench_check(error == seL4_NoError, "an event was not armed");
    start();
}

#define KEEP_ARMED(kind, event) \
    keep_armed(limen_probe_##kind, (seL4_Word)limen_cross_##event, limen_crossed_##event)

#define MEASURE(name, kind, event)                  \
    do {                                            \
        KEEP_ARMED(kind, event);                    \
        do {                                        \
            next(limen_cross_##event);              \
        } while (keep(&pass, sample.interruptions)); \
        PRINT(name " samples=ring");                \
    } while (0)

static void take_from_ring(void)
{
    limen_cross_breakpoint(&pass.crossing);
    limen_probe_ring_next(&cursor, &sample);
}

void init(void)
{
    overhead = measured_overhead();
    cursor.ring = (const limen_ring_line_t *)ring;
    bench_check(limen_probe_start() == seL4_NoError, "probing did not start");
    set_target(UNMAPPED, 0);
    MEASURE("page_fault", page_fault, page_fault);
    MEASURE("undefined_instruction", undefined, undefined);
    MEASURE("breakpoint", breakpoint, breakpoint);
    KEEP_ARMED(breakpoint, breakpoint);
    measure_cost(take_from_ring, "cross_sample samples=ring");
    set_target(0, seL4_SysCall);
    MEASURE("syscall", system_call, syscall);
    bench_check(limen_probe_stop() == seL4_NoError, "probing did not stop");
}

void notified(microkit_channel ch)
{
    (void)ch;
}
