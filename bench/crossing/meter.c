/* Enters the kernel through each event except interrupts.
 *
 * cross_u2k: from the program's stamp to the kernel's, including the kernel's instructions up to its stamp. cross_k2u: from
 * the kernel's last stamp to the program's. The cost of the two reads without an event is subtracted. For a call or
 * notification, the exit is the one to the called or notified program.
 *
 * Entry, exit and the kernel's work between them must add up to the difference of two reads outside all stamps, less that
 * difference without an event: exactly, in a run that counts instructions, unless a slice ended between two reads. */

#include "arrivals.h"
#include "rows.h"

/* Set by the tool. */
seL4_Word arrivals;

/* Nothing is mapped there. */
#define UNMAPPED 0x10000000ul
/* The number of passes of which one may be interrupted. */
#define PASSES_PER_SLICE 20

static struct overhead overhead;
static struct pass pass;
static limen_probe_sample_t sample;
static seL4_Word interrupted;

static void enter(void (*cross)(limen_crossing_t *), seL4_Error armed)
{
    bench_check(armed == seL4_NoError, "an event was not armed");
    pass_through(&pass, cross);
    limen_probe_read(&sample);
    bench_check(sample.valid, "an event was not sampled");
}

/* Returns true while more samples are needed. */
static int keep(const struct pass *arriving, seL4_Word interruptions)
{
    struct crossed found = crossed(&overhead, &sample, &pass, arriving);
    if (interruptions || found.stamped != found.outside) {
        interrupted++;
        bench_check(interrupted <= ROUNDS / PASSES_PER_SLICE, "the ways in and out are not what a round trip takes");
        return 1;
    }
    return rows_add(&found);
}

static void start(void)
{
    interrupted = 0;
    rows_start();
}

#define MEASURE(name, event)                                                                        \
    do {                                                                                            \
        start();                                                                                    \
        do {                                                                                        \
            enter(limen_cross_##event, LIMEN_PROBE_ARM(event));                                     \
        } while (keep(&pass, sample.interruptions + sample.interruptions_after));                   \
        ROWS_PRINT(name);                                                                           \
    } while (0)

static void set_target(seL4_Word target, seL4_Int64 number)
{
    pass.crossing.target = target;
    pass.crossing.number = (seL4_Word)number;
}

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
    ROWS_PRINT("syscall");
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
    ROWS_PRINT("call");
}

static void measure_notification(void)
{
    set_target(BASE_OUTPUT_NOTIFICATION_CAP + LISTENER, seL4_SysSend);
    start();
    while (arrives((struct arrival *)arrivals + LISTENER)) {
    }
    ROWS_PRINT("notification");
}

void init(void)
{
    overhead = measured_overhead();
    bench_check(limen_probe_start() == seL4_NoError, "probing did not start");
    measure_faults();
    measure_syscalls();
    measure_call();
    measure_notification();
    bench_check(limen_probe_stop() == seL4_NoError, "probing did not stop");
    microkit_notify(BYSTANDER);
}

void notified(microkit_channel ch)
{
    (void)ch;
}
