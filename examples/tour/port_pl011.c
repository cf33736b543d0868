/* The PL011 serial port of Arm's boards. Source: Arm DDI 0183. */

#include "port.h"

/* Registers, in bytes from the first. */
#define DATA 0x00
#define FLAGS 0x18
#define FLAGS_TRANSMIT_FULL (1u << 5)

static volatile unsigned int *reg(char *port, unsigned long offset)
{
    return (volatile unsigned int *)(port + offset);
}

void port_put(char *port, char character)
{
    while (*reg(port, FLAGS) & FLAGS_TRANSMIT_FULL) {
    }
    *reg(port, DATA) = (unsigned char)character;
}
