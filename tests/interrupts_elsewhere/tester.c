/* Runs on the last processor, which therefore serves the interrupts of its device. */

#include "edge.h"
#include "test.h"

#define EDGE_ID 1

/* A hang fails the suite. */
static void a_device_interrupts_the_processor_of_its_driver(void)
{
    edge_start();
    for (int times = 0; times < 100; times++) {
        edge_raise();
        CHECK_EQUAL(wait_for_signals(), 1ul << EDGE_ID);
        edge_clear();
        microkit_irq_ack(EDGE_ID);
    }
}

void init(void)
{
    RUN(a_device_interrupts_the_processor_of_its_driver);
    suite_end();
}

void notified(microkit_channel channel)
{
    (void)channel;
}
