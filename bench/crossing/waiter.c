/* Enters the kernel through timer interrupts at the end of each of its slices.
 *
 * An interrupt can arrive anywhere in the loop that reads the program's stamp, so the entry includes part of the loop. The
 * sample is the shortest entry of several interrupts at different places of the loop. The outer reads include the loop
 * until the interrupt, so only the order of the stamps is checked. */

#include "rows.h"

/* An upper bound of the loop's instructions. A simulated core takes long for a slice, and its slices end anywhere in the loop. */
#if defined(IN_CYCLES)
#define PLACES 2
#else
#define PLACES 8
#endif

static struct overhead overhead;

/* Extra instructions that move the interrupt to another place in the loop. */
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
