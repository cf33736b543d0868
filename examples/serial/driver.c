/* The driver of the serial port: the only program that can touch it, and the only one that it interrupts.
 *
 * Each client has a page with a queue of bytes to send; the first one also gets what arrives. The driver never waits: it
 * does what can be done now, and tells the port what to interrupt for. Lines of two clients do not mix. */

#include <microkit.h>
#include "port.h"
#include "queue.h"

#define CLIENTS 2
/* The client that gets what arrives. Clients are known by their channels, from 0. */
#define READER 0

/* Set by the tool: the id of the interrupt, and the queues. Those of the clients follow each other, a page apart. */
unsigned long interrupt;
struct queue *received;
char *outputs;

#define PAGE_BYTES 0x1000

/* Whose line is being sent, if it has begun. */
static unsigned speaker;
static int in_line;

static struct queue *output(unsigned client)
{
    return (struct queue *)(outputs + client * PAGE_BYTES);
}

/* Chooses who may send a byte: who has begun a line, or else the next one who has something. */
static int choose_speaker(void)
{
    if (in_line) {
        return queue_length(output(speaker)) != 0;
    }
    for (unsigned i = 1; i <= CLIENTS; i++) {
        unsigned candidate = (speaker + i) % CLIENTS;
        if (queue_length(output(candidate)) != 0) {
            speaker = candidate;
            return 1;
        }
    }
    return 0;
}

static void send_byte(void)
{
    struct queue *queue = output(speaker);
    char byte = queue_take(queue);
    in_line = byte != '\n';
    port_put(byte);
    if (queue_length(queue) == 0) {
        /* It may have more than the queue could take. */
        microkit_notify(speaker);
    }
}

/* Sends what there is, as far as there is room. */
static unsigned send(void)
{
    unsigned room = 0;
    while (choose_speaker()) {
        if (room == 0 && (room = port_room()) == 0) {
            return PORT_ROOM;
        }
        room--;
        send_byte();
    }
    return 0;
}

/* Hands over what has arrived, as far as the reader has room for it: the rest stays in the port. */
static unsigned receive(void)
{
    int any = 0;
    while (!queue_is_full(received)) {
        int byte = port_take();
        if (byte < 0) {
            break;
        }
        queue_put(received, (char)byte);
        any = 1;
    }
    if (any) {
        microkit_notify(READER);
    }
    return queue_is_full(received) ? 0 : PORT_RECEIVED;
}

static void do_what_can_be_done(void)
{
    unsigned wanted = receive();
    wanted |= send();
    port_interrupt_for(wanted);
}

void init(void)
{
    port_start();
    do_what_can_be_done();
}

/* An interrupt, or a client that has put or taken something. */
void notified(microkit_channel ch)
{
    if (ch != interrupt) {
        do_what_can_be_done();
        return;
    }
    /* Until the port is quiet: the line may be one with edges. */
    do {
        port_interrupted();
        do_what_can_be_done();
    } while (port_interrupts());
    /* Together with waiting for the next event, which saves a system call. */
    microkit_deferred_irq_ack(ch);
}
