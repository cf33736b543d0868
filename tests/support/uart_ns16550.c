/* The serial port of the PC, with byte-wide registers. Source: PC16550D data sheet. */

#include "uart_port.h"
#include <microkit.h>

/* Registers, as byte offsets. */
enum ns16550_register {
    NS16550_TRANSMIT = 0,
    NS16550_LINE_CONTROL = 3,
    NS16550_LINE_STATUS = 5,
};

#define NS16550_LINE_8_BITS 0x03u
#define NS16550_LINE_TRANSMIT_EMPTY (1u << 5)

/* Address of the registers; set by the tool. */
seL4_Word uart_base;

static volatile seL4_Uint8 *registers(void)
{
    return (volatile seL4_Uint8 *)uart_base;
}

void uart_start(void)
{
    registers()[NS16550_LINE_CONTROL] = NS16550_LINE_8_BITS;
}

void uart_put(char byte)
{
    while (!(registers()[NS16550_LINE_STATUS] & NS16550_LINE_TRANSMIT_EMPTY)) {
    }
    registers()[NS16550_TRANSMIT] = (seL4_Uint8)byte;
}
