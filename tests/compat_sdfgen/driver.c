/* A driver that is passive: a call makes its device interrupt, and the interrupt wakes the caller. */

#include "config.h"
#include "edge.h"

FILLED_IN(".device_resources") struct device device;

/* Where the registers are mapped and the id of the interrupt, where no device tree says so; set by the tool. */
extern seL4_Word edge_base __attribute__((weak));
seL4_Word line;

static microkit_channel client;

void init(void)
{
    if (is_kind(device.magic, KIND_DEVICE) && device.regions == 1 && device.interrupts == 1) {
        edge_base = device.region[0].registers.vaddr;
        line = device.interrupt[0];
    }
    edge_start();
}

void notified(microkit_channel ch)
{
    if (ch == line) {
        edge_clear();
        microkit_irq_ack(ch);
        microkit_notify(client);
    }
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    client = ch;
    edge_raise();
    return microkit_msginfo_new(microkit_msginfo_get_label(request) + 1, 0);
}
