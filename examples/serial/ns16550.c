/* The serial port of the PC. Source: PC16550D data sheet. */

#include "ns16550_access.h"
#include "port.h"

#define INTERRUPTS_RECEIVED (1u << 0)
#define INTERRUPTS_ROOM (1u << 1)
#define IDENTITY_NONE (1u << 0)
#define QUEUES_ON_AND_EMPTY 0x07u
#define LINE_8_BITS 0x03u
/* On a PC, the second output gates the interrupt line. */
#define MODEM_READY_AND_INTERRUPTS 0x0bu
#define STATUS_RECEIVED (1u << 0)
#define STATUS_ROOM (1u << 5)

/* The size of the transmit FIFO in bytes. */
#define PORT_BYTES 16

void port_start(void)
{
    ns16550_write(NS16550_INTERRUPTS, 0);
    ns16550_write(NS16550_LINE_CONTROL, LINE_8_BITS);
    ns16550_write(NS16550_IDENTITY, QUEUES_ON_AND_EMPTY);
    ns16550_write(NS16550_MODEM_CONTROL, MODEM_READY_AND_INTERRUPTS);
}

void port_interrupt_for(unsigned interrupts)
{
    unsigned received = interrupts & PORT_RECEIVED ? INTERRUPTS_RECEIVED : 0;
    unsigned room = interrupts & PORT_ROOM ? INTERRUPTS_ROOM : 0;
    ns16550_write(NS16550_INTERRUPTS, (unsigned char)(received | room));
}

void port_interrupted(void)
{
}

int port_interrupts(void)
{
    return !(ns16550_read(NS16550_IDENTITY) & IDENTITY_NONE);
}

unsigned port_room(void)
{
    return ns16550_read(NS16550_LINE_STATUS) & STATUS_ROOM ? PORT_BYTES : 0;
}

void port_put(char byte)
{
    ns16550_write(NS16550_DATA, (unsigned char)byte);
}

int port_take(void)
{
    return ns16550_read(NS16550_LINE_STATUS) & STATUS_RECEIVED ? ns16550_read(NS16550_DATA) : -1;
}
