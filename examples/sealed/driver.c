/* The driver of a virtio network device: sends requests, and passes on packets that it cannot read.
 *
 * The device writes packets to buffers that no program maps. The kernel seals them in the device's interrupt, before
 * `notified`, and the driver only returns the buffers. Buffer i belongs to descriptor i of the queue for packets. */

#include <limen.h>

#include "packet.h"
#include "virtio.h"

#define READER 0
#define DEVICE 1
#define SEAL 0

#define VIRTIO_DEVICE_NET 1
#define QUEUE_RECEIVE 0
#define QUEUE_SEND 1

/* Hardware and network addresses of this system and of the host that it asks for. */
#define OWN { 0x52, 0x54, 0x00, 0x12, 0x34, 0x56 }
#define OWN_ADDRESS { 10, 0, 2, 15 }
#define HOST_ADDRESS { 10, 0, 2, 2 }

struct queue {
    struct virtio_descriptor descriptors[VIRTIO_QUEUE];
    struct virtio_available available;
    /* The description says where the first queue has it. */
    struct virtio_used used __attribute__((aligned(512)));
};

/* The memory shared by device and driver: one page. */
struct rings {
    struct queue receive;
    struct queue send;
    struct packet request;
};
_Static_assert(sizeof(struct rings) <= 0x1000, "the rings have one page");
_Static_assert(__builtin_offsetof(struct rings, receive.used) == 0x200, "as in the description");

/* Set by the tool: virtual and physical addresses. */
seL4_Word net;
seL4_Word rings_page, rings_paddr;
seL4_Word packets_paddr;

static seL4_Uint16 used_seen;
static int requests_sent;

static volatile seL4_Uint32 *registers(void)
{
    return (volatile seL4_Uint32 *)net;
}

static volatile struct rings *rings(void)
{
    return (volatile struct rings *)rings_page;
}

static void fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void set_address(enum virtio_register reg, seL4_Word paddr)
{
    registers()[reg] = (seL4_Uint32)paddr;
    registers()[reg + 1] = (seL4_Uint32)(paddr >> 32);
}

static int start_queue(int number, seL4_Word offset)
{
    registers()[VIRTIO_QUEUE_SELECT] = number;
    if (registers()[VIRTIO_QUEUE_MOST] < VIRTIO_QUEUE) {
        return 0;
    }
    registers()[VIRTIO_QUEUE_SIZE] = VIRTIO_QUEUE;
    seL4_Word queue = rings_paddr + offset;
    set_address(VIRTIO_QUEUE_DESCRIPTORS, queue + __builtin_offsetof(struct queue, descriptors));
    set_address(VIRTIO_QUEUE_AVAILABLE, queue + __builtin_offsetof(struct queue, available));
    set_address(VIRTIO_QUEUE_USED, queue + __builtin_offsetof(struct queue, used));
    registers()[VIRTIO_QUEUE_READY] = 1;
    return 1;
}

/* Source: VIRTIO 1.1, 3.1.1 (device initialization). */
static int start_device(void)
{
    volatile seL4_Uint32 *device = registers();
    if (device[VIRTIO_MAGIC] != VIRTIO_MAGIC_VALUE || device[VIRTIO_VERSION] != VIRTIO_VERSION_VALUE ||
        device[VIRTIO_DEVICE] != VIRTIO_DEVICE_NET) {
        return 0;
    }
    device[VIRTIO_STATUS] = 0;
    device[VIRTIO_STATUS] = VIRTIO_STATUS_FOUND;
    device[VIRTIO_STATUS] |= VIRTIO_STATUS_DRIVER;
    device[VIRTIO_DRIVER_FEATURES_SELECT] = VIRTIO_FEATURES_HIGH;
    device[VIRTIO_DRIVER_FEATURES] = VIRTIO_FEATURE_VERSION_1;
    device[VIRTIO_DRIVER_FEATURES_SELECT] = 0;
    device[VIRTIO_DRIVER_FEATURES] = 0;
    device[VIRTIO_STATUS] |= VIRTIO_STATUS_FEATURES;
    if (!(device[VIRTIO_STATUS] & VIRTIO_STATUS_FEATURES) ||
        !start_queue(QUEUE_RECEIVE, __builtin_offsetof(struct rings, receive)) ||
        !start_queue(QUEUE_SEND, __builtin_offsetof(struct rings, send))) {
        return 0;
    }
    device[VIRTIO_STATUS] |= VIRTIO_STATUS_RUNNING;
    return 1;
}

static void make_available(volatile struct queue *queue, seL4_Uint16 descriptor)
{
    queue->available.chains[queue->available.count % VIRTIO_QUEUE] = descriptor;
    fence();
    queue->available.count++;
}

static void offer_buffers(void)
{
    for (seL4_Uint16 i = 0; i < VIRTIO_QUEUE; i++) {
        volatile struct virtio_descriptor *descriptor = &rings()->receive.descriptors[i];
        descriptor->paddr = packets_paddr + i * BUFFER_BYTES;
        descriptor->bytes = BUFFER_BYTES;
        descriptor->flags = VIRTIO_WRITE;
        make_available(&rings()->receive, i);
    }
    /* The device interrupts for packets only. */
    rings()->send.available.flags = 1;
    fence();
    registers()[VIRTIO_QUEUE_NOTIFY] = QUEUE_RECEIVE;
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
    rings()->send.descriptors[0].paddr = rings_paddr + __builtin_offsetof(struct rings, request);
    rings()->send.descriptors[0].bytes = sizeof(struct packet);
    rings()->send.descriptors[0].flags = 0;
    make_available(&rings()->send, 0);
    fence();
    registers()[VIRTIO_QUEUE_NOTIFY] = QUEUE_SEND;
    requests_sent++;
}

/* Returns the buffers to the device. What the interrupt has not sealed, because there was too much or because it came
 * later, is sealed now. */
static void return_buffers(void)
{
    seL4_Uint16 used = rings()->receive.used.count;
    fence();
    seL4_Word sealed;
    if (limen_seal(SEAL, &sealed) != seL4_NoError) {
        microkit_dbg_puts("driver: there is no seal\n");
    }
    for (; used_seen != used; used_seen++) {
        make_available(&rings()->receive,
                       (seL4_Uint16)rings()->receive.used.chains[used_seen % VIRTIO_QUEUE].chain % VIRTIO_QUEUE);
    }
    fence();
    registers()[VIRTIO_QUEUE_NOTIFY] = QUEUE_RECEIVE;
}

void init(void)
{
    if (!start_device()) {
        microkit_dbg_puts("driver: there is no virtio network device of version 1\n");
        return;
    }
    offer_buffers();
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
