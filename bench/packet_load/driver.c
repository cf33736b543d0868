/* Returns the buffers of packets that are sealed. The kernel has sealed them in the interrupt, or a worker does. */

#include "load.h"
#include "net.h"

#define DEVICE 1
#define WORKER 2
#define SEAL 0

seL4_Word load_base;
seL4_Word net;
seL4_Word rings, rings_paddr;
seL4_Word sealed;
seL4_Word buffers_paddr;

/* Packets whose buffers were returned. */
static seL4_Uint64 returned;

static net_registers_t *registers(void)
{
    return (net_registers_t *)net;
}

static volatile struct queue *queue(void)
{
    return (volatile struct queue *)rings;
}

#if defined(MODE_worker)
static void seal_rest(void)
{
    microkit_notify(WORKER);
}
#else
/* An interrupt seals at most 4 KiB. */
static void seal_rest(void)
{
    seL4_Word count;
    while ((seL4_Uint16)last_number(sealed) != queue()->used.count &&
           limen_seal(SEAL, &count) == seL4_NoError && count != 0) {
    }
}
#endif

static void return_buffers(void)
{
    seL4_Uint64 last = last_number(sealed);
    if (returned == last) {
        return;
    }
    for (; returned != last; returned++) {
        net_make_available(queue(), queue()->used.chains[returned % VIRTIO_QUEUE].chain % VIRTIO_QUEUE);
    }
    net_notify(registers(), QUEUE_RECEIVE);
    this_load()->last_sealed = limen_counter();
}

void init(void)
{
    if (net_start(registers(), rings_paddr, rings_paddr + 0x800)) {
        net_offer_buffers(registers(), queue(), buffers_paddr, BUFFER);
    }
}

void notified(microkit_channel ch)
{
    if (ch == DEVICE) {
        registers()[VIRTIO_INTERRUPT_ACKNOWLEDGE] = registers()[VIRTIO_INTERRUPT_STATUS];
        seal_rest();
    }
    return_buffers();
    if (ch == DEVICE) {
        microkit_irq_ack(DEVICE);
    }
}
