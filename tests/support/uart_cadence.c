/* The serial port of the Zynq UltraScale+. Source: UG1087, UART. */

#include "uart_port.h"
#include <microkit.h>

/* Registers, as word offsets. */
enum cadence_register {
    CADENCE_CONTROL = 0x00 / 4,
    CADENCE_STATUS = 0x2c / 4,
    CADENCE_FIFO = 0x30 / 4,
};

#define CADENCE_STATUS_TRANSMIT_FULL (1u << 4)
#define CADENCE_CONTROL_TRANSMIT (1u << 4)

/* Address of the registers; set by the tool. */
seL4_Word uart_base;

static volatile seL4_Uint32 *registers(void)
{
    return (volatile seL4_Uint32 *)uart_base;
}

void uart_start(void)
{
    registers()[CADENCE_CONTROL] = CADENCE_CONTROL_TRANSMIT;
}

void uart_put(char byte)
{
    while (registers()[CADENCE_STATUS] & CADENCE_STATUS_TRANSMIT_FULL) {
    }
    registers()[CADENCE_FIFO] = (seL4_Uint8)byte;
}
