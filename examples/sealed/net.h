/* The queues of a virtio network device, for its driver.
 *
 * Source: VIRTIO 1.1, 3.1.1 (device initialization), 5.1 (network device). */
#ifndef NET_H
#define NET_H

#include "virtio.h"

#define VIRTIO_DEVICE_NET 1
#define QUEUE_RECEIVE 0
#define QUEUE_SEND 1

/* Memory shared by device and driver. Buffer i belongs to descriptor i. */
struct queue {
    struct virtio_descriptor descriptors[VIRTIO_QUEUE];
    struct virtio_available available;
    /* Descriptions say where the used ring is. */
    struct virtio_used used __attribute__((aligned(512)));
};
_Static_assert(__builtin_offsetof(struct queue, used) == 0x200, "as in the description");

typedef volatile seL4_Uint32 net_registers_t;

static inline void net_fence(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static inline void net_set_address(net_registers_t *device, enum virtio_register reg, seL4_Word paddr)
{
    device[reg] = (seL4_Uint32)paddr;
    device[reg + 1] = (seL4_Uint32)(paddr >> 32);
}

/* Gives the device a queue. Returns whether it has room for it. */
static inline int net_start_queue(net_registers_t *device, int number, seL4_Word paddr)
{
    device[VIRTIO_QUEUE_SELECT] = number;
    if (device[VIRTIO_QUEUE_MOST] < VIRTIO_QUEUE) {
        return 0;
    }
    device[VIRTIO_QUEUE_SIZE] = VIRTIO_QUEUE;
    net_set_address(device, VIRTIO_QUEUE_DESCRIPTORS, paddr + __builtin_offsetof(struct queue, descriptors));
    net_set_address(device, VIRTIO_QUEUE_AVAILABLE, paddr + __builtin_offsetof(struct queue, available));
    net_set_address(device, VIRTIO_QUEUE_USED, paddr + __builtin_offsetof(struct queue, used));
    device[VIRTIO_QUEUE_READY] = 1;
    return 1;
}

/* Starts the device with queues at these physical addresses. Returns whether it is a network device of version 1. */
static inline int net_start(net_registers_t *device, seL4_Word receive_paddr, seL4_Word send_paddr)
{
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
    if (!(device[VIRTIO_STATUS] & VIRTIO_STATUS_FEATURES) || !net_start_queue(device, QUEUE_RECEIVE, receive_paddr) ||
        !net_start_queue(device, QUEUE_SEND, send_paddr)) {
        return 0;
    }
    device[VIRTIO_STATUS] |= VIRTIO_STATUS_RUNNING;
    return 1;
}

/* Gives a buffer to the device, which may look at it only after a notification. */
static inline void net_make_available(volatile struct queue *queue, seL4_Uint16 descriptor)
{
    queue->available.chains[queue->available.count % VIRTIO_QUEUE] = descriptor;
    net_fence();
    queue->available.count++;
}

/* Tells the device that a queue has more buffers. */
static inline void net_notify(net_registers_t *device, int queue)
{
    net_fence();
    device[VIRTIO_QUEUE_NOTIFY] = queue;
}

/* Gives the device all buffers for packets, which follow each other. */
static inline void net_offer_buffers(net_registers_t *device, volatile struct queue *receive, seL4_Word paddr,
                                     seL4_Uint32 bytes)
{
    for (seL4_Uint16 i = 0; i < VIRTIO_QUEUE; i++) {
        volatile struct virtio_descriptor *descriptor = &receive->descriptors[i];
        descriptor->paddr = paddr + i * bytes;
        descriptor->bytes = bytes;
        descriptor->flags = VIRTIO_WRITE;
        net_make_available(receive, i);
    }
    net_notify(device, QUEUE_RECEIVE);
}

/* Sends what a buffer holds. */
static inline void net_send(net_registers_t *device, volatile struct queue *send, seL4_Uint16 descriptor,
                            seL4_Word paddr, seL4_Uint32 bytes)
{
    send->descriptors[descriptor].paddr = paddr;
    send->descriptors[descriptor].bytes = bytes;
    send->descriptors[descriptor].flags = 0;
    net_make_available(send, descriptor);
    net_notify(device, QUEUE_SEND);
}

/* Keeps the device from interrupting for packets that it has sent. */
static inline void net_send_silently(volatile struct queue *send)
{
    send->available.flags = 1;
}

#endif /* NET_H */
