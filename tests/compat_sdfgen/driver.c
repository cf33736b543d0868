/* A passive driver: a call makes its device interrupt, and the interrupt handler signals the caller. */

#include "config.h"
#include "edge.h"

FILLED_IN(".device_resources") struct device device;

/* The address of the registers and the id of the interrupt. The tool sets them on boards without a device tree; elsewhere
 * they come from the configuration. On x86 the device has no registers in memory. */
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
