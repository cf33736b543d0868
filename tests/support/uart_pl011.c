/* The serial port of Arm's boards. Source: ARM DDI 0183G, chapter 3. */

#include "uart_port.h"
#include <microkit.h>

/* Registers, as word offsets. */
enum pl011_register {
    PL011_DATA = 0x00 / 4,
    PL011_FLAGS = 0x18 / 4,
    PL011_LINE_CONTROL = 0x2c / 4,
    PL011_CONTROL = 0x30 / 4,
};

#define PL011_FLAGS_TRANSMIT_FULL (1u << 5)
#define PL011_LINE_8_BITS_FIFO 0x70u
#define PL011_CONTROL_TRANSMIT 0x101u

/* Address of the registers; set by the tool. */
seL4_Word uart_base;

static volatile seL4_Uint32 *registers(void)
{
    return (volatile seL4_Uint32 *)uart_base;
}

void uart_start(void)
{
    registers()[PL011_LINE_CONTROL] = PL011_LINE_8_BITS_FIFO;
    registers()[PL011_CONTROL] = PL011_CONTROL_TRANSMIT;
}

void uart_put(char byte)
{
    while (registers()[PL011_FLAGS] & PL011_FLAGS_TRANSMIT_FULL) {
    }
    registers()[PL011_DATA] = (seL4_Uint8)byte;
}
