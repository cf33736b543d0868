/* Makes the kernel work, and has a device interrupt in the middle of it.
 *
 * irq_latency: from the moment for which the device was set, by its own clock, to the first instruction of `notified` in its
 * driver, which has a higher priority. The moments of a row are spread evenly over the work, from the system call that asks
 * for it (or the store that faults) to what comes after it in the same program (or to `fault` in the parent). So between
 * the two reads lies what the kernel still does before it takes interrupts, if anything; and then what bench/irq counts:
 * the trap, the signal, the switch, and the driver's way from its receive to `notified`. A round counts when the moment
 * was not before the work nor after its end, and then the driver must have run before the work was over.
 *
 * interrupts_off: the longest of these times near the beginning and the end of a digest, and of a loop in the program. There
 * the device interrupts at every instruction, however few samples other rows have.
 *
 * during=program: there is no work but a loop in the program. during=idle: no program runs.
 * sites: so many branches follow a key, and are made to, some
 * at a time. of=kernel: of the kernel's code. kib: so much is wiped, by the
 * fault of a child; the kernel does that with interrupts off, so the device waits for the rest of it. */

#include <limen/static_key.h>

#include "bad_address.h"
#include "round.h"

#define DIGEST_OF_REGION 0
#define DIGEST_OF_KERNEL 1
#define RESET 2
#define SWITCHED 0

/* Rounds before those that count. */
#define PREPARING 4
/* So many instructions after its moment the device may interrupt: on x86, two of its steps and some. */
#define LATE 32
/* So many instructions after its start a round of an idle system has its moment. */
#define UNTIL_IDLE 20000

#define IDLE_CHILD 0
#define WIPES_PAGE 1

seL4_Word round_base;

static struct samples samples;

/* The longest of so many times. */
static seL4_Word longest, taken_times;

LIMEN_STATIC_KEY_FALSE(switched);
/* How many branches were taken. */
static seL4_Word taken;

extern char _start[];

/* Samples near the beginning or the end of the work instead of over all of it: so many instructions. */
#define NEAR 1500

enum part {
    ALL_OF_IT,
    ITS_BEGINNING,
    ITS_END,
};

static enum part part;

static void look_closely(volatile struct round *round)
{
    if (part == ITS_END) {
        round->lead += round->span - NEAR;
    }
    if (part != ALL_OF_IT) {
        round->span = NEAR;
    }
}

/* Times of a row. */
static seL4_Word moments(void)
{
    /* A trace has few. */
    return part == ALL_OF_IT || SAMPLES < 100 ? SAMPLES : NEAR;
}

/* True while more are wanted. */
static seL4_Bool keep(seL4_Word time)
{
    if (part == ALL_OF_IT) {
        return samples_add(&samples, time);
    }
    longest = time > longest ? time : longest;
    return ++taken_times < moments();
}

/* The first rounds are not interrupted, and show how long it takes to set the device, and how long the work. */
static seL4_Bool prepare(volatile struct round *round, seL4_Word end)
{
    bench_check(!round->served, "the device interrupts when it should not");
    if (round->number == PREPARING) {
        round->lead = round->start - round->begin;
        round->span = end - round->start;
        look_closely(round);
    }
    return seL4_True;
}

/* Comes after the work. True while more rounds are wanted. Work takes a little less than in the round that was timed
 * when the last interrupt came after it, or when it is done the other way, so some of the last moments are too late, and no
 * samples. */
static seL4_Bool round_end(void)
{
    seL4_Word end = limen_counter();
    volatile struct round *round = this_round();
    round->number++;
    if (!round->span) {
        return prepare(round, end);
    }
    bench_check(round->number < PREPARING + (WARM_UP + round->moments) * 3 / 2, "the device is rarely due during the work");
    if (round->due < round->start || round->due + LATE >= end) {
        return seL4_True;
    }
    bench_check(round->due < round->served && round->served < end, "the driver has not run during the work");
    return keep(round->served - round->due);
}

static void rounds_start(void)
{
    volatile struct round *round = this_round();
    samples_start(&samples);
    longest = taken_times = 0;
    round->moments = moments();
    round->number = 0;
    round->lead = NEVER;
    round->span = 0;
}

static void compute(void)
{
    for (int i = 0; i < 3000; i++) {
        __asm__ volatile ("nop");
    }
}

static void digest_region(void)
{
    limen_digest_t digest;
    bench_check(limen_digest(DIGEST_OF_REGION, &digest) == seL4_NoError, "there is no digest of the region");
}

static void digest_kernel(void)
{
    limen_digest_t digest;
    bench_check(limen_digest(DIGEST_OF_KERNEL, &digest) == seL4_NoError, "there is no digest of the kernel");
}

static void reset(void)
{
    bench_check(limen_reset(RESET) == seL4_NoError, "the child was not reset");
}

#define EIGHT(what) what what what what what what what what
#define BRANCH                                                                                                     \
    if (limen_static_branch_unlikely(switched)) {                                                                  \
        taken++;                                                                                                   \
    }

static __attribute__((noinline)) void pass(void)
{
    EIGHT(EIGHT(EIGHT(BRANCH)))
}

/* On and off by turns. */
static void switch_key(void)
{
    seL4_Bool is_on = this_round()->number % 2;
    seL4_Error error = is_on ? limen_key_disable(SWITCHED) : limen_key_enable(SWITCHED);
    bench_check(error == seL4_NoError, "the key was not switched");
}

static void take_rounds(void (*work)(void))
{
    seL4_Bool again = seL4_True;
    rounds_start();
    while (again) {
        round_begin();
        work();
        again = round_end();
    }
}

static void measure(void (*work)(void), const char *row)
{
    take_rounds(work);
    samples_print_swept(&samples, row);
}

static void measure_longest(void (*work)(void), enum part of_it, const char *row)
{
    part = of_it;
    take_rounds(work);
    part = ALL_OF_IT;
    samples_print_one(row, longest);
}

void init(void)
{
    microkit_pd_stop(IDLE_CHILD);
    measure_longest(compute, ITS_BEGINNING, "interrupts_off event=Interrupt by=line");
    measure_longest(digest_region, ITS_BEGINNING, "interrupts_off label=LimenServiceRun");
    measure_longest(digest_region, ITS_END, "interrupts_off event=WorkDone");
    measure(compute, "irq_latency during=program" ROW_FPU);
    measure(digest_region, "irq_latency during=digest of=region" ROW_FPU);
    measure(digest_kernel, "irq_latency during=digest of=kernel" ROW_FPU);
    measure(reset, "irq_latency during=reset" ROW_FPU);
    measure(switch_key, "irq_latency during=key_flip sites=512" ROW_FPU);
    taken = 0;
    pass();
    bench_check(taken == 0 || taken == 512, "only some branches follow their key");
    rounds_start();
}

/* Has the device interrupt when every program waits. */
static void idle(void)
{
    this_round()->lead = UNTIL_IDLE;
    round_begin();
}

/* The driver has served an interrupt of an idle system. */
void notified(microkit_channel ch)
{
    (void)ch;
    volatile struct round *round = this_round();
    bench_check(round->due < round->served, "the device interrupts early");
    if (samples_add(&samples, round->served - round->due)) {
        idle();
        return;
    }
    samples_print_swept(&samples, "irq_latency during=idle" ROW_FPU);
    bench_done();
}

/* Wipes are over here. The child that wipes more runs when the other has stopped. */
seL4_Bool fault(microkit_child child, microkit_msginfo message, microkit_msginfo *answer)
{
    (void)answer;
    seL4_Word address = microkit_mr_get(seL4_VMFault_Addr);
    seL4_Bool again = round_end();
    bench_check(microkit_msginfo_get_label(message) == seL4_Fault_VMFault && address == BAD_ADDRESS,
                "a child faulted in another way than it should");
    if (again) {
        microkit_pd_restart(child, (seL4_Word)_start);
    } else if (child == WIPES_PAGE) {
        samples_print_swept(&samples, "irq_latency during=wipe kib=4" ROW_FPU);
        rounds_start();
    } else {
        samples_print_swept(&samples, "irq_latency during=wipe kib=64" ROW_FPU);
        rounds_start();
        this_round()->wakes = seL4_True;
        idle();
    }
    return seL4_False;
}
