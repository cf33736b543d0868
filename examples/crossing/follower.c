/* Causes breakpoints that stay armed, and follows their samples in a ring: no system call comes between two of them. The
 * meter prints the figures. */

#include "events.h"

/* Events before the first figure. */
#define WARM_UP 20

/* Set by the tool. */
seL4_Word ring;
seL4_Word followed;

void init(void)
{
    struct ways *ways = (struct ways *)followed;
    limen_ring_cursor_t cursor = { .ring = (const limen_ring_line_t *)ring };
    limen_crossing_t crossing = { 0 }, last = { 0 };
    limen_probe_sample_t sample, last_sample = { 0 };
    limen_probe_start();
    limen_probe_arm(limen_probe_breakpoint, (seL4_Word)limen_cross_breakpoint, (seL4_Word)limen_crossed_breakpoint,
                    LIMEN_PROBE_EXIT | LIMEN_PROBE_EVERY);
    for (int round = 0; ways->in.count < SAMPLES && ways->interrupted < SAMPLES; round++) {
        limen_cross_breakpoint(&crossing);
        if (!limen_probe_ring_next(&cursor, &sample)) {
            break;
        }
        /* Whether something came between the last return and its stamp is known only now. */
        if (last_sample.interruptions + sample.interruptions) {
            ways->interrupted++;
        } else if (round > WARM_UP) {
            ways->in.values[ways->in.count++] = last_sample.entry - last_sample.user;
            ways->out.values[ways->out.count++] = last.after - last.exit;
        }
        last = crossing;
        last_sample = sample;
    }
    limen_probe_stop();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
