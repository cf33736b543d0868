/* Takes turns with an equal program: `share_0` with `share_1`, which have 300 of 1000 microseconds each, then `full_0` with
 * `full_1`, which have full slices.
 *
 * slice_switch: the first read is the other program's last in its slice, the second this program's first in its own.
 * Between them lie at most one iteration of the other's loop, the timer interrupt, the change of slice, and at most one
 * iteration of this program's loop. The gap after an idle processor is longer and not counted. */

#include "samples.h"
#include "turns.h"

/* A gap of this many instructions can only be a turn of the other program, or an idle processor. */
#define JUMP 20000ul

/* Memory shared by the programs; set by the tool. */
seL4_Word shared_turns;

static struct samples samples;

static volatile struct turns *turns(void)
{
    return (volatile struct turns *)shared_turns;
}

/* Stores the counter until one of the pair has enough samples. True for the one that has. */
static int take_turns(seL4_Word own, volatile seL4_Word *finished)
{
    seL4_Word last = limen_counter();
    while (!*finished) {
        seL4_Word now = limen_counter();
        seL4_Word gap = now - turns()->counter[!own];
        turns()->counter[own] = now;
        if (now - last > JUMP && gap < JUMP && !samples_add(&samples, gap)) {
            *finished = 1;
            return 1;
        }
        last = now;
    }
    return 0;
}

void init(void)
{
    int has_share = microkit_name[0] == 's';
    seL4_Word own = (seL4_Word)(microkit_name[has_share ? 6 : 5] - '0');
    samples_start(&samples);
    while (!turns()->started || (!has_share && !turns()->finished[0])) {
    }
    if (!take_turns(own, &turns()->finished[!has_share])) {
        return;
    }
    samples_print(&samples, has_share ? "slice_switch budget=share" ROW_FPU : "slice_switch" ROW_FPU);
    if (!has_share) {
        bench_done();
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
