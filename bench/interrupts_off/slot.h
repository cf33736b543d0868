/* What the programs of two domains tell each other of slots, in a page. */
#ifndef BENCH_SLOT_H
#define BENCH_SLOT_H

#include "moment.h"
#include "samples.h"

#define SWEEPS 200
/* Instructions between two moments, and of the first before the last thread has used up its budget. */
#define STEP 300
#define LEAD 35000
/* Slots that come before the first that counts. */
#define PREPARING 3

struct slot {
    /* The last read of the counter in each domain, or 0 when the other has seen it. */
    volatile seL4_Word crowd;
    volatile seL4_Word other;
    /* When the crowd's slot began, and how long after that the last of its threads had used up its budget. */
    volatile seL4_Word begin;
    volatile seL4_Word used_up;
    volatile seL4_Word device;
    volatile seL4_Word due;
    volatile seL4_Word number;
    /* The longest times: from the end of the other slot to the first instruction of the crowd; and from an interrupt
     * to its driver. */
    volatile seL4_Word to_crowd;
    volatile seL4_Word latency;
};

/* Set by the tool. */
extern seL4_Word shared_page;

static inline struct slot *this_slot(void)
{
    return (struct slot *)shared_page;
}

static inline void note(volatile seL4_Word *longest, seL4_Word length)
{
    if (length > *longest) {
        *longest = length;
    }
}

/* The first thread of the crowd runs. Interrupts come later: they have the threads use up their time in other places. */
static inline void slot_begins(struct slot *slot, seL4_Word now)
{
    if (slot->number++ >= PREPARING) {
        slot->due = moment_set(now + slot->used_up - LEAD + STEP * (slot->number - PREPARING), slot->device);
    } else if (slot->number > 1) {
        note(&slot->to_crowd, now - slot->other);
    }
    slot->other = 0;
    slot->begin = now;
}

#endif /* BENCH_SLOT_H */
