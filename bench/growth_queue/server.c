/* Answers callers that queued while it had no budget.
 *
 * growth_queue: between the two reads lie the end of `protected`, the reply to one caller, the receive from the next, and
 * the event loop up to the first instruction of `protected`; the row has the number of callers that wait behind that one.
 * Callers have a lower priority, so none of them runs before all have been answered. */

#include "samples.h"

/* Longer than an interrupt, and shorter than a wait for a refill: a period without the budget. */
#define GAP 100000
/* More than the server uses to answer all callers, and less than half of its budget. */
#define SETTLED 100000

struct mark {
    seL4_Word waiting;
    const char *row;
};

#define MARKS 6
#define MARK(number)                                                                                               \
    {                                                                                                              \
        number, "growth_queue waiting=" #number                                                                    \
    }

static const struct mark marks[MARKS] = { MARK(0), MARK(1), MARK(3), MARK(15), MARK(31), MARK(59) };
static struct samples samples[MARKS];
/* Callers not yet answered since the server last ran out of budget. */
static seL4_Word unanswered;
static seL4_Word answered[64];
static seL4_Word before;

/* Spins until the budget has run out and a refill arrives that is large enough to answer all callers. A refill may be
 * smaller: what the server has used to answer is refilled apart from what it has used to spin. */
static void let_others_queue(void)
{
    seL4_Bool ran_out = seL4_False;
    seL4_Word last = limen_counter(), refill = last, now;
    do {
        now = limen_counter();
        if (now - last > GAP) {
            refill = now;
            ran_out = seL4_True;
        }
        last = now;
    } while (!ran_out || now - refill < SETTLED);
}

static void finish(void)
{
    for (seL4_Word id = 1; id < CALLERS; id++) {
        seL4_Word distance = answered[0] - answered[id < 30 ? id : id + 1];
        bench_check(distance + 1 <= 2, "a caller was answered more often than others");
    }
    for (int mark = 0; mark < MARKS; mark++) {
        samples_print(&samples[mark], marks[mark].row);
    }
    bench_done();
}

void init(void)
{
    for (int mark = 0; mark < MARKS; mark++) {
        samples_start(&samples[mark]);
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    seL4_Word after = limen_counter();
    answered[ch]++;
    if (unanswered == 0) {
        if (samples[0].rounds >= ROUNDS) {
            finish();
        }
        let_others_queue();
        unanswered = CALLERS;
    } else {
        for (int mark = 0; mark < MARKS; mark++) {
            if (marks[mark].waiting == unanswered - 1) {
                samples_add(&samples[mark], after - before);
            }
        }
    }
    unanswered--;
    before = limen_counter();
    return request;
}
