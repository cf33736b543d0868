/* Notifies a program of lower priority, which waits.
 *
 * notify: between the two reads lies one microkit_notify: the check of the channel and the system call. It makes the
 * target ready and returns to the sender. Before each sample, the target has run and blocked again. */

#include "samples.h"

#define START 0
#define TARGET 1
#define IDLER 2

/* The target's count of notifications; set by the tool. */
seL4_Word seen;

static struct samples samples;

/* The idler has the lowest priority: when it answers, the target waits. */
static void let_target_wait(void)
{
    seL4_Word channels;
    microkit_notify(IDLER);
    seL4_Wait(LIMEN_INPUT_CAP, &channels);
    bench_check(channels == 1ul << IDLER, "another program woke the sender");
}

static seL4_Word signal_once(void)
{
    seL4_Word before = limen_counter();
    microkit_notify(TARGET);
    seL4_Word after = limen_counter();
    bench_check(*(volatile seL4_Word *)seen == samples.rounds, "the target ran too early");
    let_target_wait();
    bench_check(*(volatile seL4_Word *)seen == samples.rounds + 1, "the target missed a notification");
    return after - before;
}

void init(void)
{
}

void notified(microkit_channel ch)
{
    if (ch != START) {
        return;
    }
    samples_start(&samples);
    let_target_wait();
    while (samples_add(&samples, signal_once())) {
    }
    samples_print(&samples, "notify" ROW_FPU);
    bench_done();
}
