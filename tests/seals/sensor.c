/* Receives the interrupt that has sealed its record. */

#include <limen.h>

#include "level.h"
#include "orders.h"

#define DEVICE 9
#define SEAL 0
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
    struct orders *told = (struct orders *)orders;
    if (ch == DEVICE) {
        told->interrupts++;
        level_clear();
        microkit_irq_ack(DEVICE);
    } else {
        seL4_Word sealed = 0;
        told->error = limen_seal(SEAL, &sealed);
        told->sealed = sealed;
    }
    microkit_notify(TESTER);
}
