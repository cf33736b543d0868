/* Enters the kernel by interrupts: those of the timer at the end of each of its slices.
 *
 * Between the program's stamp and the interrupt lies what is left of the loop that reads the stamp again and again. What is
 * seen from outside is this loop until the interrupt, so that only the order of stamps is checked. */

#include "rows.h"

static struct pass pass;
static limen_probe_sample_t sample;

void init(void)
{
    struct overhead overhead = measured_overhead();
    struct crossed found;
    bench_check(limen_probe_start() == seL4_NoError, "probing did not start");
    rows_start();
    do {
        bench_check(limen_probe_arm_interrupt() == seL4_NoError, "an interrupt was not armed");
        pass_through(&pass, limen_cross_interrupt);
        limen_probe_read(&sample);
        found = crossed(&overhead, &sample, &pass, &pass);
        bench_check(sample.valid && sample.entry < pass.crossing.exit && found.stamped < found.outside,
                    "the stamps of an interrupt do not follow each other");
    } while (rows_add(&found));
    ROWS_PRINT("interrupt");
    bench_check(limen_probe_stop() == seL4_NoError, "probing did not stop");
    bench_done();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
