/* Notifies programs that answer with a notification. Both sides run in their event loops.
 *
 * notify_rt: between the two reads lie microkit_notify, the return from `notified` and the next receive; the other
 * program's path from its receive through its event loop to `notified`, its microkit_notify and its next receive; and
 * the path back to the first instruction of `notified`. That is four system calls and two switches.
 *
 * The sender of each answer counts it, and the client compares the counts. */

#include "samples.h"

#define ACTIVE_HI 0
#define ACTIVE_LO 1
#define PASSIVE_HI 2
#define SENDER 3

/* Answers that each program has sent, by channel; set by the tool. */
seL4_Word answers;

static struct samples samples;
static seL4_Word before;

static void start(microkit_channel first)
{
    samples_start(&samples);
    microkit_notify(first);
}

static void finish(const char *row, microkit_channel ch)
{
    seL4_Word sent = ((volatile seL4_Word *)answers)[ch];
    bench_check(sent == samples.rounds + 1, "a notification was lost or came twice");
    samples_print(&samples, row);
}

static void finish_and_start_next(microkit_channel ch)
{
    switch (ch) {
    case ACTIVE_HI:
        finish("notify_rt server=active_hi" ROW_FPU, ch);
        start(ACTIVE_LO);
        break;
    case ACTIVE_LO:
        finish("notify_rt server=active_lo" ROW_FPU, ch);
        start(PASSIVE_HI);
        break;
    default:
        finish("notify_rt server=passive_hi" ROW_FPU, ch);
        microkit_notify(SENDER);
        break;
    }
}

void init(void)
{
    start(ACTIVE_HI);
}

/* The first notification of a set only starts the counter. */
void notified(microkit_channel ch)
{
    seL4_Word after = limen_counter();
    if (before && !samples_add(&samples, after - before)) {
        before = 0;
        finish_and_start_next(ch);
        return;
    }
    if (ch == ACTIVE_HI) {
        before = limen_counter();
        microkit_notify(ACTIVE_HI);
    } else if (ch == ACTIVE_LO) {
        before = limen_counter();
        microkit_notify(ACTIVE_LO);
    } else {
        before = limen_counter();
        microkit_notify(PASSIVE_HI);
    }
}
