/* The serial port of the PC, which RISC-V boards have as well. Source: PC16550D data sheet. */

#include "port.h"

/* Registers, in bytes from the first. */
#define TRANSMIT 0
#define LINE_STATUS 5
#define LINE_STATUS_TRANSMIT_EMPTY (1u << 5)

void port_put(char *port, char character)
{
    volatile unsigned char *registers = (volatile unsigned char *)port;
    while (!(registers[LINE_STATUS] & LINE_STATUS_TRANSMIT_EMPTY)) {
    }
    registers[TRANSMIT] = (unsigned char)character;
}
