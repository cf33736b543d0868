/* The serial port of the Zynq UltraScale+. Source: UG1087, UART. */

#include "port.h"

/* Registers, in bytes from the first. */
#define STATUS 0x2c
#define STATUS_TRANSMIT_FULL (1u << 4)
#define FIFO 0x30

void port_put(char *port, char character)
{
    volatile unsigned int *status = (volatile unsigned int *)(port + STATUS);
    volatile unsigned int *fifo = (volatile unsigned int *)(port + FIFO);
    while (*status & STATUS_TRANSMIT_FULL) {
    }
    *fifo = (unsigned char)character;
}
