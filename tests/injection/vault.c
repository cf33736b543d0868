/* Deasserts the line of its device. */

#include "counts.h"
#include "edge.h"

#define TAMPER 9

seL4_Word counts;

void init(void)
{
    edge_start();
}

void notified(microkit_channel ch)
{
    (void)ch;
    ((struct counts *)counts)->interrupts++;
    edge_clear();
    microkit_irq_ack(TAMPER);
}
