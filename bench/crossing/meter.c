/* Enters the kernel through each event except interrupts.
 *
 * cross_u2k: from the program's stamp to the kernel's, including the kernel's instructions up to its stamp. cross_k2u: from
 * the kernel's last stamp to the program's. The cost of the two reads without an event is subtracted. For a call or
 * notification, the exit is the one to the called or notified program.
 *
 * cross_sample: all that one sample of a breakpoint costs, with the two calls around it (samples=call); the follower's
 * is without calls.
 *
 * Entry, exit and the kernel's work between them must add up to the difference of two reads outside all stamps, less that
 * difference without an event: exactly, in a run that counts instructions, unless a slice ended between two reads. In a run that
 * counts cycles, the stamps must lie between the outer reads. cross_around is the time from the first outer read to the first stamp
 * plus the time from the last stamp to the second outer read. */

#include "arrivals.h"
#include "meter.h"

/* Set by the tool. */
seL4_Word arrivals;

static void enter(void (*cross)(limen_crossing_t *), seL4_Error armed)
{
    bench_check(armed == seL4_NoError, "an event was not armed");
    pass_through(&pass, cross);
    limen_probe_read(&sample);
    bench_check(sample.valid, "an event was not sampled");
}

#define MEASURE(name, event)                                                                        \
    do {                                                                                            \
        start();                                                                                    \
        do {                                                                                        \
            enter(limen_cross_##event, LIMEN_PROBE_ARM(event));                                     \
        } while (keep(&pass, sample.interruptions + sample.interruptions_after));                   \
        PRINT(name);                                                                                \
    } while (0)

static void measure_faults(void)
{
    set_target(UNMAPPED, 0);
    MEASURE("page_fault", page_fault);
    MEASURE("undefined_instruction", undefined);
    MEASURE("breakpoint", breakpoint);
}

/* Invokes an empty slot, which returns an error. */
static void measure_syscalls(void)
{
    set_target(0, seL4_SysCall);
    start();
    do {
        enter(limen_cross_syscall, limen_probe_arm_syscall());
    } while (keep(&pass, sample.interruptions + sample.interruptions_after));
    PRINT("syscall");
}

static int arrives(const struct arrival *arrival)
{
    seL4_Word count = arrival->count;
    enter(limen_cross_syscall, limen_probe_arm_syscall());
    bench_check(arrival->count == count + 1, "the other program did not run");
    return keep(&arrival->pass, sample.interruptions + arrival->interruptions);
}

static void measure_call(void)
{
    set_target(BASE_ENDPOINT_CAP + SERVER, seL4_SysCall);
    start();
    while (arrives((struct arrival *)arrivals + SERVER)) {
    }
    PRINT("call");
}

static void measure_notification(void)
{
    set_target(BASE_OUTPUT_NOTIFICATION_CAP + LISTENER, seL4_SysSend);
    start();
    while (arrives((struct arrival *)arrivals + LISTENER)) {
    }
    PRINT("notification");
}

static void take_by_calls(void)
{
    LIMEN_PROBE_ARM(breakpoint);
    limen_cross_breakpoint(&pass.crossing);
    limen_probe_read(&sample);
}

void init(void)
{
    overhead = measured_overhead();
    bench_check(limen_probe_start() == seL4_NoError, "probing did not start");
    measure_faults();
    measure_syscalls();
    measure_call();
    measure_notification();
    measure_cost(take_by_calls, "cross_sample samples=call");
    bench_check(limen_probe_stop() == seL4_NoError, "probing did not stop");
    microkit_notify(BYSTANDER);
}

void notified(microkit_channel ch)
{
    (void)ch;
}
