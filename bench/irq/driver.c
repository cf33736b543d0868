/* Serves the interrupts of a device.
 *
 * irq_latency: the first read is by the raiser, a lower-priority program, before it stores the value, calls a function and
 * makes the device interrupt with its last store; on x86, the device then takes ten nanoseconds, which are as many
 * instructions here. Between the reads lie the trap, the signal to this program, the switch to it, and its path from the
 * receive through the event loop to `notified`.
 *
 * irq_ack: between the two reads lies one microkit_irq_ack: the check of the id and the system call.
 *
 * On a simulated core, the row of irq_latency with from=wire begins when the line of the device rises instead: a register of
 * the machine holds the counter of that moment.
 *
 * For irq_rt, this program only clears the device, counts, and acknowledges in one of two ways. */

#include "level.h"
#include "rounds.h"
#include "samples.h"

#define INTERRUPT 0

/* Memory shared with the raiser; set by the tool. */
seL4_Word shared_rounds;

#if defined(IN_CYCLES)
#define ASSERTED_AT 0x800
/* The registers of the serial port; set by the tool. */
extern seL4_Word level_base;
static struct samples wires;
#endif

static struct samples latencies;
static struct samples acknowledgements;

void init(void)
{
    samples_start(&latencies);
    samples_start(&acknowledgements);
#if defined(IN_CYCLES)
    samples_start(&wires);
#endif
    level_start();
}

/* `after` is the first read in `notified`. */
static void add_from_wire(seL4_Word after)
{
#if defined(IN_CYCLES)
    seL4_Word asserted = *(volatile seL4_Word *)(level_base + ASSERTED_AT);
    bench_check(rounds()->raised < asserted && asserted < after, "the line rose at another time");
    if (!samples_add(&wires, after - asserted)) {
        /* Only one of the two is a read. */
        samples_print_distribution(&wires, "irq_latency driver=active from=wire" ROW_FPU);
    }
#else
    (void)after;
#endif
}

static void serve_latency(seL4_Word after)
{
    level_clear();
    seL4_Word before = limen_counter();
    microkit_irq_ack(INTERRUPT);
    samples_add(&acknowledgements, limen_counter() - before);
    if (!samples_add(&latencies, after - rounds()->raised)) {
        samples_print(&latencies, "irq_latency driver=active" ROW_FPU);
        samples_print(&acknowledgements, "irq_ack" ROW_FPU);
    }
    add_from_wire(after);
    rounds()->served++;
}

void notified(microkit_channel ch)
{
    seL4_Word after = limen_counter();
    bench_check(ch == INTERRUPT, "something else than the device interrupted");
    switch (rounds()->way) {
    case LATENCY:
        serve_latency(after);
        break;
    case ACKNOWLEDGE:
        level_clear();
        rounds()->served++;
        microkit_irq_ack(INTERRUPT);
        break;
    default:
        level_clear();
        rounds()->served++;
        microkit_deferred_irq_ack(INTERRUPT);
        break;
    }
}
