/* Receives the interrupt that has wiped its keys. */

#include "level.h"
#include "orders.h"

#define TAMPER 9
#define TESTER 0

seL4_Word orders;

void init(void)
{
    level_start();
    level_clear();
    microkit_notify(TESTER);
}

void notified(microkit_channel ch)
{
    if (ch == TAMPER) {
        ((struct orders *)orders)->interrupts++;
        level_clear();
        microkit_irq_ack(TAMPER);
        microkit_notify(TESTER);
    }
}
