/* The first serial port of SiFive's board, which also prints: a transmitter below its mark interrupts if it may. Source:
 * SiFive FU540-C000 Manual, UART. */

#include "edge.h"

/* Registers, as word offsets. */
enum sifive_register {
    SIFIVE_INTERRUPTS = 0x10 / 4,
};

#define SIFIVE_TRANSMIT_BELOW_MARK 1u

/* Where the registers are mapped; set by the tool. */
seL4_Word edge_base;

static volatile seL4_Uint32 *registers(void)
{
    return (volatile seL4_Uint32 *)edge_base;
}

void edge_start(void)
{
}

void edge_raise(void)
{
    registers()[SIFIVE_INTERRUPTS] = SIFIVE_TRANSMIT_BELOW_MARK;
}

void edge_clear(void)
{
    registers()[SIFIVE_INTERRUPTS] = 0;
}
