/* The driver of the serial port: the only program with access to it, and the only one that it interrupts.
 *
 * Each client has a page with a queue of bytes to send; the first one also receives input. The driver never busy-waits: it
 * sends and receives what it can, and enables the port's interrupts for the rest. Lines of two clients do not mix. */

#include <microkit.h>
#include "port.h"
#include "queue.h"

#define CLIENTS 2
/* The client that receives input. Clients are numbered by their channels, from 0. */
#define READER 0

/* Set by the tool: the id of the interrupt, and the queues. The clients' queues are consecutive pages. */
unsigned long interrupt;
struct queue *received;
char *outputs;

#define PAGE_BYTES 0x1000

/* The client in the middle of a line, if any. */
static unsigned speaker;
static int in_line;

static struct queue *output(unsigned client)
{
    return (struct queue *)(outputs + client * PAGE_BYTES);
}

/* Chooses the client that may send a byte: the one in the middle of a line, or else the next one with output. */
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
        /* It may have more output than the queue could hold. */
        microkit_notify(speaker);
    }
}

/* Sends pending output while the port has room. */
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

/* Passes received bytes to the reader while its queue has room; the rest stays in the port. */
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

/* Handles an interrupt, or a client that has enqueued or dequeued bytes. */
void notified(microkit_channel ch)
{
    if (ch != interrupt) {
        do_what_can_be_done();
        return;
    }
    /* Repeat until the port is quiet, because the line may be edge-triggered. */
    do {
        port_interrupted();
        do_what_can_be_done();
    } while (port_interrupts());
    /* Sent with the next receive, which saves a system call. */
    microkit_deferred_irq_ack(ch);
}
