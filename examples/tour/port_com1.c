/* The first serial port of a PC, through I/O ports. Source: PC16550D data sheet. */

#include <microkit.h>
#include "port.h"

/* The id of the range of ports in the description. */
#define PORTS 0

/* Ports of the registers. */
#define TRANSMIT 0x3f8
#define LINE_STATUS 0x3fd
#define LINE_STATUS_TRANSMIT_EMPTY (1u << 5)

void port_put(char *port, char character)
{
    (void)port;
    while (!(microkit_x86_ioport_read_8(PORTS, LINE_STATUS) & LINE_STATUS_TRANSMIT_EMPTY)) {
    }
    microkit_x86_ioport_write_8(PORTS, TRANSMIT, (unsigned char)character);
}
