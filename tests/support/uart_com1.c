/* The first serial port of a PC, through I/O ports. Source: PC16550D data sheet. */

#include "uart_port.h"
#include <microkit.h>

/* The id of its range of ports in descriptions. */
#define PORTS 0

/* Ports of the registers. */
enum com1_port {
    COM1_TRANSMIT = 0x3f8,
    COM1_LINE_CONTROL = 0x3fb,
    COM1_LINE_STATUS = 0x3fd,
};

#define COM1_LINE_8_BITS 0x03u
#define COM1_LINE_TRANSMIT_EMPTY (1u << 5)

void uart_start(void)
{
    microkit_x86_ioport_write_8(PORTS, COM1_LINE_CONTROL, COM1_LINE_8_BITS);
}

void uart_put(char byte)
{
    /* Polling words are in registers: the message that is printed stays where it is. */
    while (!(microkit_x86_ioport_read_8(PORTS, COM1_LINE_STATUS) & COM1_LINE_TRANSMIT_EMPTY)) {
    }
    microkit_x86_ioport_write_8(PORTS, COM1_TRANSMIT, (seL4_Uint8)byte);
}
