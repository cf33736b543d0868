/* The second serial port of the Zynq UltraScale+: an empty transmitter interrupts if it may. Source: UG1087, UART. */

#include "edge.h"

/* Registers, as word offsets. */
enum cadence_register {
    CADENCE_CONTROL = 0x00 / 4,
    CADENCE_ENABLE = 0x08 / 4,
    CADENCE_DISABLE = 0x0c / 4,
};

#define CADENCE_CONTROL_TRANSMIT (1u << 4)
#define CADENCE_TRANSMIT_EMPTY (1u << 3)

/* Address of the registers; set by the tool. */
seL4_Word edge_base;

static volatile seL4_Uint32 *registers(void)
{
    return (volatile seL4_Uint32 *)edge_base;
}

void edge_start(void)
{
    registers()[CADENCE_CONTROL] = CADENCE_CONTROL_TRANSMIT;
    registers()[CADENCE_DISABLE] = ~0u;
}

void edge_raise(void)
{
    registers()[CADENCE_ENABLE] = CADENCE_TRANSMIT_EMPTY;
}

void edge_clear(void)
{
    registers()[CADENCE_DISABLE] = CADENCE_TRANSMIT_EMPTY;
}
