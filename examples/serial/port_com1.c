/* The first serial port of a PC, through I/O ports. */

#include <microkit.h>
#include "ns16550_access.h"

/* The id of the range of ports in the description, and the first of them. */
#define PORTS 0
#define FIRST_PORT 0x3f8

unsigned char ns16550_read(enum ns16550_register which)
{
    return microkit_x86_ioport_read_8(PORTS, FIRST_PORT + which);
}

void ns16550_write(enum ns16550_register which, unsigned char value)
{
    microkit_x86_ioport_write_8(PORTS, FIRST_PORT + which, value);
}
