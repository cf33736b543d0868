/* The driver of a virtio network device: sends requests, and passes on packets that it cannot read.
 *
 * The device writes packets to buffers that no program maps. The kernel seals them in the device's interrupt, before
 * `notified`, and the driver only returns the buffers. Buffer i belongs to descriptor i of the queue for packets. */

#include <limen.h>

#include "net.h"
#include "packet.h"

#define READER 0
#define DEVICE 1
#define SEAL 0

/* Hardware and network addresses of this system and of the host that it asks for. */
#define OWN { 0x52, 0x54, 0x00, 0x12, 0x34, 0x56 }
#define OWN_ADDRESS { 10, 0, 2, 15 }
#define HOST_ADDRESS { 10, 0, 2, 2 }

/* The memory shared by device and driver: one page. */
struct rings {
    struct queue receive;
    struct queue send;
    struct packet request;
};
_Static_assert(sizeof(struct rings) <= 0x1000, "the rings have one page");

/* Set by the tool: virtual and physical addresses. */
seL4_Word net;
seL4_Word rings_page, rings_paddr;
seL4_Word packets_paddr;

static seL4_Uint16 used_seen;
static int requests_sent;

static net_registers_t *registers(void)
{
    return (net_registers_t *)net;
}

static volatile struct rings *rings(void)
{
    return (volatile struct rings *)rings_page;
}

static int start_device(void)
{
    return net_start(registers(), rings_paddr + __builtin_offsetof(struct rings, receive),
                     rings_paddr + __builtin_offsetof(struct rings, send));
}

static void send_request(void)
{
    static const struct packet request = {
        .to = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
        .from = OWN,
        .ethertype = { PACKET_ETHERTYPE_ARP >> 8, PACKET_ETHERTYPE_ARP & 0xff },
        /* Ethernet, IPv4, and the lengths of their addresses. */
        .kinds = { 0, 1, 8, 0, 6, 4 },
        .operation = { 0, PACKET_ARP_REQUEST },
        .sender = OWN,
        .sender_address = OWN_ADDRESS,
        .target_address = HOST_ADDRESS,
    };
    const seL4_Uint8 *from = (const seL4_Uint8 *)&request;
    volatile seL4_Uint8 *to = (volatile seL4_Uint8 *)&rings()->request;
    for (seL4_Word i = 0; i < sizeof(request); i++) {
        to[i] = from[i];
    }
    net_send(registers(), &rings()->send, 0, rings_paddr + __builtin_offsetof(struct rings, request),
             sizeof(struct packet));
    requests_sent++;
}

/* Returns the buffers to the device. What the interrupt has not sealed, because there was too much or because it came
 * later, is sealed now. */
static void return_buffers(void)
{
    seL4_Uint16 used = rings()->receive.used.count;
    net_fence();
    seL4_Word sealed;
    if (limen_seal(SEAL, &sealed) != seL4_NoError) {
        microkit_dbg_puts("driver: there is no seal\n");
    }
    for (; used_seen != used; used_seen++) {
        net_make_available(&rings()->receive,
                           (seL4_Uint16)rings()->receive.used.chains[used_seen % VIRTIO_QUEUE].chain % VIRTIO_QUEUE);
    }
    net_notify(registers(), QUEUE_RECEIVE);
}

void init(void)
{
    if (!start_device()) {
        microkit_dbg_puts("driver: there is no virtio network device of version 1\n");
        return;
    }
    net_send_silently(&rings()->send);
    net_offer_buffers(registers(), &rings()->receive, packets_paddr, BUFFER_BYTES);
}

/* Handles an interrupt, or the notification of the reader that it has set the key. */
void notified(microkit_channel ch)
{
    if (ch == DEVICE) {
        registers()[VIRTIO_INTERRUPT_ACKNOWLEDGE] = registers()[VIRTIO_INTERRUPT_STATUS];
        return_buffers();
        microkit_notify(READER);
        microkit_deferred_irq_ack(ch);
    }
    if (requests_sent < REQUESTS) {
        send_request();
    }
}
