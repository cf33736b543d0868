/* Records its interrupts. It acknowledges them on request, and never accesses a device. */

#include <limen.h>

#include "log.h"

/* Set by the tool. */
seL4_Word log;

void init(void)
{
}

void notified(microkit_channel ch)
{
    volatile struct log *seen = (volatile struct log *)log;
    if (ch == ACKNOWLEDGE_EDGE || ch == ACKNOWLEDGE_LEVEL) {
        microkit_irq_ack(ch == ACKNOWLEDGE_EDGE ? EDGE : LEVEL);
    } else {
        seen->count[ch]++;
        seen->time = limen_counter();
    }
}
