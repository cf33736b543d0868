/* Sends the packets of a load, each at its moment. A packet that finds the device's queue full is lost. */

#include "load.h"
#include "moment.h"
#include "net.h"

#define DEVICE 0
/* Behind the queue. Its contents do not matter. */
#define PACKET_AT 0x800

seL4_Word load_base;
seL4_Word net;
seL4_Word sent, sent_paddr;

static seL4_Word device;
/* Packets of this load. */
static seL4_Word made;

static net_registers_t *registers(void)
{
    return (net_registers_t *)(net + SENDER_AT);
}

static void send_packet(void)
{
    volatile struct queue *queue = (volatile struct queue *)sent;
    seL4_Uint16 count = queue->available.count;
    if ((seL4_Uint16)(count - queue->used.count) < VIRTIO_QUEUE) {
        net_send(registers(), queue, count % VIRTIO_QUEUE, sent_paddr + PACKET_AT, RECORD);
    }
}

static void serve(seL4_Word now)
{
    seL4_Word due = arrivals_until(now);
    for (; made < due; made++) {
        send_packet();
    }
    if (due < this_load()->arrivals) {
        moment_set_after(this_load()->start + due * this_load()->period, now, device);
    }
}

void init(void)
{
    device = moment_start();
    moment_clear();
    /* The device has no use for a queue for packets that it receives. */
    net_start(registers(), sent_paddr, sent_paddr);
    net_send_silently((volatile struct queue *)sent);
}

void notified(microkit_channel ch)
{
    if (ch == DEVICE) {
        moment_clear();
        serve(limen_counter());
        microkit_irq_ack(DEVICE);
    } else {
        made = 0;
        serve(limen_counter());
    }
}
