/* The driver of a virtio disk: submits the client's requests to the device and notifies the client when they complete.
 *
 * The device uses physical addresses, which the tool stores in variables. Request i always uses descriptors 3 * i to
 * 3 * i + 2: header, data, status. The driver reads memory that the client can change only once. */

#include "block.h"
#include "virtio.h"

#define CLIENT 0
#define PIECES 3

/* The memory shared by device and driver: one page. */
struct ring {
    struct virtio_descriptor descriptors[VIRTIO_QUEUE];
    struct virtio_available available;
    struct virtio_used used;
    struct virtio_block_header headers[BLOCK_REQUESTS];
    seL4_Uint8 status[BLOCK_REQUESTS];
};
_Static_assert(sizeof(struct ring) <= BLOCK_PAGE_BYTES, "the ring has one page");
_Static_assert(BLOCK_REQUESTS * PIECES <= VIRTIO_QUEUE, "every request has descriptors of its own");

/* Set by the tool: virtual and physical addresses, and the id of the interrupt. */
seL4_Word disk;
seL4_Word ring_page, ring_paddr;
seL4_Word requests, requests_paddr;
seL4_Word interrupt;

static seL4_Uint64 capacity;
/* Requests in progress at the device. */
static int with_device[BLOCK_REQUESTS];
static seL4_Uint16 used_seen;

static volatile seL4_Uint32 *registers(void)
{
    return (volatile seL4_Uint32 *)disk;
}

static volatile struct ring *ring(void)
{
    return (volatile struct ring *)ring_page;
}

static void set_address(enum virtio_register reg, seL4_Word offset)
{
    registers()[reg] = (seL4_Uint32)(ring_paddr + offset);
    registers()[reg + 1] = (seL4_Uint32)((ring_paddr + offset) >> 32);
}

static int start_queue(void)
{
    registers()[VIRTIO_QUEUE_SELECT] = 0;
    if (registers()[VIRTIO_QUEUE_MOST] < VIRTIO_QUEUE) {
        return 0;
    }
    registers()[VIRTIO_QUEUE_SIZE] = VIRTIO_QUEUE;
    set_address(VIRTIO_QUEUE_DESCRIPTORS, __builtin_offsetof(struct ring, descriptors));
    set_address(VIRTIO_QUEUE_AVAILABLE, __builtin_offsetof(struct ring, available));
    set_address(VIRTIO_QUEUE_USED, __builtin_offsetof(struct ring, used));
    registers()[VIRTIO_QUEUE_READY] = 1;
    return 1;
}

/* Source: VIRTIO 1.1, 3.1.1 (device initialization). */
static int start_device(void)
{
    volatile seL4_Uint32 *device = registers();
    if (device[VIRTIO_MAGIC] != VIRTIO_MAGIC_VALUE || device[VIRTIO_VERSION] != VIRTIO_VERSION_VALUE ||
        device[VIRTIO_DEVICE] != VIRTIO_DEVICE_BLOCK) {
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
    if (!(device[VIRTIO_STATUS] & VIRTIO_STATUS_FEATURES) || !start_queue()) {
        return 0;
    }
    device[VIRTIO_STATUS] |= VIRTIO_STATUS_RUNNING;
    capacity = device[VIRTIO_BLOCK_CAPACITY] | (seL4_Uint64)device[VIRTIO_BLOCK_CAPACITY + 1] << 32;
    return 1;
}

static void describe(unsigned place, seL4_Word paddr, seL4_Word bytes, seL4_Uint16 flags)
{
    volatile struct virtio_descriptor *descriptor = &ring()->descriptors[place];
    descriptor->paddr = paddr;
    descriptor->bytes = (seL4_Uint32)bytes;
    descriptor->flags = flags;
    descriptor->next = (seL4_Uint16)(place + 1);
}

static void hand_over(unsigned index, int writes, seL4_Uint32 sector, seL4_Uint32 sectors)
{
    unsigned first = index * PIECES;
    seL4_Uint16 data_flags = writes ? VIRTIO_NEXT : VIRTIO_NEXT | VIRTIO_WRITE;
    ring()->headers[index].type = writes ? VIRTIO_BLOCK_WRITE : VIRTIO_BLOCK_READ;
    ring()->headers[index].sector = sector;
    describe(first, ring_paddr + __builtin_offsetof(struct ring, headers) + index * sizeof(struct virtio_block_header),
             sizeof(struct virtio_block_header), VIRTIO_NEXT);
    describe(first + 1, block_data(requests_paddr, index), sectors * BLOCK_SECTOR_BYTES, data_flags);
    describe(first + 2, ring_paddr + __builtin_offsetof(struct ring, status) + index, 1, VIRTIO_WRITE);
    with_device[index] = 1;
    ring()->available.chains[ring()->available.count % VIRTIO_QUEUE] = (seL4_Uint16)first;
    block_fence();
    ring()->available.count++;
}

static void finish(unsigned index, enum block_status status)
{
    struct block_request *request = block_request(requests, index);
    request->status = status;
    block_fence();
    request->state = BLOCK_DONE;
}

/* Accepts a request. The result tells whether the device or the client must be notified. */
static int take(unsigned index, int *refused)
{
    struct block_request *request = block_request(requests, index);
    if (with_device[index] || request->state != BLOCK_SUBMITTED) {
        return 0;
    }
    block_fence();
    seL4_Uint32 operation = request->operation, sector = request->sector, sectors = request->sectors;
    int is_known = operation == BLOCK_READ || operation == BLOCK_WRITE;
    int is_there = sectors >= 1 && sectors <= BLOCK_MOST_SECTORS && (seL4_Uint64)sector + sectors <= capacity;
    if (!is_known || !is_there) {
        finish(index, BLOCK_REFUSED);
        *refused = 1;
        return 0;
    }
    hand_over(index, operation == BLOCK_WRITE, sector, sectors);
    return 1;
}

static void take_requests(void)
{
    int any = 0, refused = 0;
    for (unsigned i = 0; i < BLOCK_REQUESTS; i++) {
        any |= take(i, &refused);
    }
    if (any) {
        block_fence();
        registers()[VIRTIO_QUEUE_NOTIFY] = 0;
    }
    if (refused) {
        microkit_notify(CLIENT);
    }
}

static void give_back(void)
{
    int any = 0;
    while (used_seen != ring()->used.count) {
        block_fence();
        unsigned index = ring()->used.chains[used_seen % VIRTIO_QUEUE].chain / PIECES;
        used_seen++;
        if (index < BLOCK_REQUESTS && with_device[index]) {
            with_device[index] = 0;
            finish(index, ring()->status[index] == VIRTIO_BLOCK_OK ? BLOCK_OK : BLOCK_FAILED);
            any = 1;
        }
    }
    if (any) {
        microkit_notify(CLIENT);
    }
}

void init(void)
{
    if (!start_device()) {
        microkit_dbg_puts("driver: there is no virtio disk of version 1\n");
    }
    take_requests();
}

/* Handles an interrupt, or a notification of the client about a request. */
void notified(microkit_channel ch)
{
    if (ch == interrupt) {
        registers()[VIRTIO_INTERRUPT_ACKNOWLEDGE] = registers()[VIRTIO_INTERRUPT_STATUS];
        give_back();
        microkit_deferred_irq_ack(ch);
    }
    take_requests();
}
