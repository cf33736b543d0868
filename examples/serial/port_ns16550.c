/* The serial port of the PC, on machines where its registers are in memory. */

#include <microkit.h>
#include "ns16550_access.h"

/* Address of the registers; set by the tool. */
volatile unsigned char *uart;

unsigned char ns16550_read(enum ns16550_register which)
{
    return uart[which];
}

void ns16550_write(enum ns16550_register which, unsigned char value)
{
    uart[which] = value;
}
