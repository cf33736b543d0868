/* Serves the interrupts of a device.
 *
 * irq_latency: the first read is by the raiser, a lower-priority program, before it stores the value, calls a function and
 * makes the device interrupt with its last store; on x86, the device then takes ten nanoseconds, which are as many
 * instructions here. Between the reads lie the trap, the signal to this program, the switch to it, and its path from the
 * receive through the event loop to `notified`.
 *
 * irq_ack: between the two reads lies one microkit_irq_ack: the check of the id and the system call. */

#include "level.h"
#include "samples.h"

#define INTERRUPT 0

/* The time at which the raiser triggered the device; set by the tool. */
seL4_Word stamp;

static struct samples latencies;
static struct samples acknowledgements;

void init(void)
{
    samples_start(&latencies);
    samples_start(&acknowledgements);
    level_start();
}

void notified(microkit_channel ch)
{
    seL4_Word after = limen_counter();
    bench_check(ch == INTERRUPT, "something else than the device interrupted");
    level_clear();
    seL4_Word before = limen_counter();
    microkit_irq_ack(INTERRUPT);
    samples_add(&acknowledgements, limen_counter() - before);
    if (!samples_add(&latencies, after - *(volatile seL4_Word *)stamp)) {
        samples_print(&latencies, "irq_latency driver=active" ROW_FPU);
        samples_print(&acknowledgements, "irq_ack" ROW_FPU);
        bench_done();
    }
}
