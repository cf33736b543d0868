/* Enters the kernel by interrupts: those of the timer at the end of each of its slices.
 *
 * An interrupt comes anywhere in the loop that reads the program's stamp again and again, so that the way in has a part of the
 * loop in front of it. Of several interrupts that meet the loop at other places, that with the shortest way in is the sample.
 * What is seen from outside is this loop until the interrupt, so that only the order of stamps is checked. */

#include "rows.h"

/* More than the loop has instructions. */
#define PLACES 8

static struct overhead overhead;

/* So many instructions more, and the interrupt meets the loop at another place. */
static __attribute__((noinline)) void delay(int instructions)
{
    for (int i = 0; i < PLACES; i++) {
        if (i < instructions) {
            __asm__ volatile ("nop");
        }
    }
}

static struct crossed interrupt_at(int place)
{
    static struct pass pass;
    static limen_probe_sample_t sample;
    bench_check(limen_probe_arm_interrupt() == seL4_NoError, "an interrupt was not armed");
    delay(place);
    pass_through(&pass, limen_cross_interrupt);
    limen_probe_read(&sample);
    struct crossed found = crossed(&overhead, &sample, &pass, &pass);
    bench_check(sample.valid && sample.entry < pass.crossing.exit && found.stamped < found.outside,
                "the stamps of an interrupt do not follow each other");
    return found;
}

static struct crossed shortest_interrupt(void)
{
    struct crossed shortest = interrupt_at(0);
    for (int place = 1; place < PLACES; place++) {
        struct crossed found = interrupt_at(place);
        shortest = found.in < shortest.in ? found : shortest;
    }
    return shortest;
}

void init(void)
{
    struct crossed found;
    overhead = measured_overhead();
    bench_check(limen_probe_start() == seL4_NoError, "probing did not start");
    rows_start();
    do {
        found = shortest_interrupt();
    } while (rows_add(&found));
    ROWS_PRINT("interrupt");
    bench_check(limen_probe_stop() == seL4_NoError, "probing did not stop");
    bench_done();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
