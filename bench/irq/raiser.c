/* Repeatedly makes the device interrupt. The driver runs before the next round.
 *
 * irq_rt: between the two reads lie the store with which the device interrupts, the interrupt, the driver's event loop and
 * `notified`, its acknowledgement (ack=call: a system call; ack=deferred: sent with its next receive), its receive, and
 * the return to this program, which checks that the driver has served the interrupt. */

#include "level.h"
#include "rounds.h"
#include "samples.h"

/* Memory shared with the driver; set by the tool. */
seL4_Word shared_rounds;

static struct samples samples;

/* On x86 the interrupt comes after the store. */
static seL4_Word raise(void)
{
    seL4_Word served = rounds()->served;
    seL4_Word before = limen_counter();
    level_assert();
    while (rounds()->served == served) {
    }
    seL4_Word after = limen_counter();
    bench_check(rounds()->served == served + 1, "an interrupt was served twice");
    return after - before;
}

static void measure(const char *row, enum way way)
{
    rounds()->way = way;
    samples_start(&samples);
    while (samples_add(&samples, raise())) {
    }
    samples_print(&samples, row);
}

void init(void)
{
    for (seL4_Word round = 0; round < ROUNDS; round++) {
        rounds()->raised = limen_counter();
        level_raise();
#if defined(IN_CYCLES)
        /* Stores to devices are posted there: the interrupt comes after some more instructions. */
        while (rounds()->served == round) {
        }
#endif
    }
    measure("irq_rt ack=call" ROW_FPU, ACKNOWLEDGE);
    measure("irq_rt ack=deferred" ROW_FPU, DEFER);
    bench_done();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
