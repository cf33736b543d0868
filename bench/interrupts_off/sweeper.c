/* Is interrupted at times that are spread over the postponing of threads without time. */

#include "slot.h"
#include "user.h"

seL4_Word shared_page;

void init(void)
{
    use_fpu();
    this_slot()->device = moment_start();
    moment_clear();
}

void notified(microkit_channel ch)
{
    seL4_Word now = limen_counter();
    struct slot *slot = this_slot();
    if (slot->due) {
        note(&slot->latency, now - slot->due);
        slot->due = 0;
    }
    moment_clear();
    microkit_irq_ack(ch);
}
