/* The parts of a memory-mapped virtio block device that the driver uses.
 *
 * Source: Virtual I/O Device (VIRTIO) Version 1.1, 2.6 (split virtqueues), 4.2.2 (MMIO registers), 5.2 (block device). */
#ifndef VIRTIO_H
#define VIRTIO_H

#include <microkit.h>

/* Registers, as word offsets. */
enum virtio_register {
    VIRTIO_MAGIC = 0x000 / 4,
    VIRTIO_VERSION = 0x004 / 4,
    VIRTIO_DEVICE = 0x008 / 4,
    VIRTIO_DRIVER_FEATURES = 0x020 / 4,
    VIRTIO_DRIVER_FEATURES_SELECT = 0x024 / 4,
    VIRTIO_QUEUE_SELECT = 0x030 / 4,
    VIRTIO_QUEUE_MOST = 0x034 / 4,
    VIRTIO_QUEUE_SIZE = 0x038 / 4,
    VIRTIO_QUEUE_READY = 0x044 / 4,
    VIRTIO_QUEUE_NOTIFY = 0x050 / 4,
    VIRTIO_INTERRUPT_STATUS = 0x060 / 4,
    VIRTIO_INTERRUPT_ACKNOWLEDGE = 0x064 / 4,
    VIRTIO_STATUS = 0x070 / 4,
    VIRTIO_QUEUE_DESCRIPTORS = 0x080 / 4,
    VIRTIO_QUEUE_AVAILABLE = 0x090 / 4,
    VIRTIO_QUEUE_USED = 0x0a0 / 4,
    /* The size of a block device in sectors, two words. */
    VIRTIO_BLOCK_CAPACITY = 0x100 / 4,
};

#define VIRTIO_MAGIC_VALUE 0x74726976u
#define VIRTIO_VERSION_VALUE 2
#define VIRTIO_DEVICE_BLOCK 2

/* The driver's progress. */
#define VIRTIO_STATUS_FOUND 1u
#define VIRTIO_STATUS_DRIVER 2u
#define VIRTIO_STATUS_RUNNING 4u
#define VIRTIO_STATUS_FEATURES 8u

/* The only required feature: version 1 of the standard, bit 32. */
#define VIRTIO_FEATURES_HIGH 1
#define VIRTIO_FEATURE_VERSION_1 1u

/* Descriptors of a queue: a power of two. */
#define VIRTIO_QUEUE 16

/* A descriptor: one piece of memory. */
struct virtio_descriptor {
    seL4_Uint64 paddr;
    seL4_Uint32 bytes;
    seL4_Uint16 flags;
    seL4_Uint16 next;
};
#define VIRTIO_NEXT 1u
/* The device writes to it. */
#define VIRTIO_WRITE 2u

/* The available ring: descriptor chains that the driver submits. */
struct virtio_available {
    seL4_Uint16 flags;
    seL4_Uint16 count;
    seL4_Uint16 chains[VIRTIO_QUEUE];
};

/* The used ring: descriptor chains that the device returns. */
struct virtio_used {
    seL4_Uint16 flags;
    seL4_Uint16 count;
    struct {
        seL4_Uint32 chain;
        seL4_Uint32 bytes;
    } chains[VIRTIO_QUEUE];
};

/* The first piece of a request to a block device; data and a byte of status follow. */
struct virtio_block_header {
    seL4_Uint32 type;
    seL4_Uint32 reserved;
    seL4_Uint64 sector;
};
#define VIRTIO_BLOCK_READ 0u
#define VIRTIO_BLOCK_WRITE 1u
#define VIRTIO_BLOCK_OK 0u

#endif /* VIRTIO_H */
