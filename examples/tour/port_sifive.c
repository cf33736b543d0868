/* The serial port of SiFive's boards. Source: SiFive FU540-C000 Manual. */

#include "port.h"

/* Registers, in bytes from the first. */
#define TRANSMIT 0x00
#define TRANSMIT_FULL (1u << 31)

void port_put(char *port, char character)
{
    volatile unsigned int *transmit = (volatile unsigned int *)(port + TRANSMIT);
    while (*transmit & TRANSMIT_FULL) {
    }
    *transmit = (unsigned char)character;
}
