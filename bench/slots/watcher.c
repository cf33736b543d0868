/* A program on each processor, in a domain whose slots begin together, polls the cycle counter to see when its slots begin. The
 * counters of all processors started with the machine.
 *
 * slot_spread: from the first of these programs that runs in a slot to the last one, after a slot in which every processor ran
 * a program (before=program), and after one in which none had any (before=nothing).
 * slot_period: how far the time between two slots that begin together is from the schedule's, on processor 0. */

#include "samples.h"
#include "together.h"

#define PROCESSORS 4
/* Slots of each kind: a period needs one more than there are samples. */
#define WATCHED (ROUNDS + 1)
/* A longer time between two reads is a slot of another domain: of the one without programs, or, if it is longer still, of the
 * one with programs. */
#define GAP 5000ul
#define LONG_GAP 22000ul
/* Cycles of a round of the schedule. */
#define ROUND 70000ul

/* When a slot began, by what ran before: a program, or nothing. */
struct starts {
    seL4_Word before[2][WATCHED];
    seL4_Word is_running;
    seL4_Word is_complete;
};

/* The address of the starts of each processor; set by the tool. */
seL4_Word starts;

static struct samples samples;

static struct starts *starts_of(seL4_Word processor)
{
    return (struct starts *)starts + processor;
}

static void wait_for_all(const seL4_Word *word)
{
    for (seL4_Word processor = 0; processor < PROCESSORS; processor++) {
        while (!load(word + processor * sizeof(struct starts) / sizeof(seL4_Word))) {
        }
    }
}

/* Begins in one slot on all processors. */
static void watch(struct starts *own)
{
    seL4_Word counts[2] = {0, 0};
    store(&own->is_running, 1);
    wait_for_all(&starts_of(0)->is_running);
    seL4_Word last = limen_counter();
    for (seL4_Word slot = 0; slot < 2 * WATCHED;) {
        seL4_Word now = limen_counter(), gap = now - last;
        if (gap > GAP) {
            seL4_Word before = gap < LONG_GAP;
            own->before[before][counts[before]++ % WATCHED] = now;
            slot++;
        }
        last = now;
    }
    bench_check(counts[0] == WATCHED, "slots of the two kinds do not alternate");
    store(&own->is_complete, 1);
    wait_for_all(&starts_of(0)->is_complete);
}

static seL4_Word spread(seL4_Word before, seL4_Word round)
{
    seL4_Word first = ~0ul, last = 0;
    for (seL4_Word processor = 0; processor < PROCESSORS; processor++) {
        seL4_Word start = starts_of(processor)->before[before][round];
        first = start < first ? start : first;
        last = start > last ? start : last;
    }
    bench_check(last - first < GAP, "the processors watched slots of different rounds");
    return last - first;
}

static seL4_Word period(seL4_Word before, seL4_Word round)
{
    const seL4_Word *own = starts_of(0)->before[before] + round;
    seL4_Word time = own[1] - own[0];
    return time > ROUND ? time - ROUND : ROUND - time;
}

static void report(seL4_Word (*value)(seL4_Word, seL4_Word), seL4_Word before, const char *row)
{
    samples_start(&samples);
    seL4_Word round = 0;
    while (samples_add(&samples, value(before, round))) {
        round++;
    }
    samples_print_distribution(&samples, row);
}

void init(void)
{
    watch(starts_of(own_number()));
    if (own_number()) {
        return;
    }
    report(spread, 0, "slot_spread before=program" ROW_FPU);
    report(spread, 1, "slot_spread before=nothing" ROW_FPU);
    report(period, 0, "slot_period before=program" ROW_FPU);
    report(period, 1, "slot_period before=nothing" ROW_FPU);
    bench_done();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
