/* Serves the interrupts of the device, and records when it starts. */

#include "round.h"

#define WORKER 1

seL4_Word round_base;

void init(void)
{
    this_round()->device = moment_start();
    moment_clear();
}

void notified(microkit_channel ch)
{
    seL4_Word now = limen_counter();
    this_round()->served = now;
    moment_clear();
    microkit_irq_ack(ch);
    if (this_round()->wakes) {
        microkit_notify(WORKER);
    }
}
