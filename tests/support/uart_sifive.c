/* The serial port of SiFive's boards. Source: SiFive FU540-C000 Manual, UART. */

#include "uart_port.h"
#include <microkit.h>

/* Registers, as word offsets. */
enum sifive_register {
    SIFIVE_TRANSMIT = 0x00 / 4,
    SIFIVE_TRANSMIT_CONTROL = 0x08 / 4,
};

#define SIFIVE_TRANSMIT_FULL (1u << 31)
#define SIFIVE_ENABLE 1u

/* Address of the registers; set by the tool. */
seL4_Word uart_base;

static volatile seL4_Uint32 *registers(void)
{
    return (volatile seL4_Uint32 *)uart_base;
}

void uart_start(void)
{
    registers()[SIFIVE_TRANSMIT_CONTROL] = SIFIVE_ENABLE;
}

void uart_put(char byte)
{
    while (registers()[SIFIVE_TRANSMIT] & SIFIVE_TRANSMIT_FULL) {
    }
    registers()[SIFIVE_TRANSMIT] = (seL4_Uint8)byte;
}
