/* The second serial port of SiFive's board: a transmitter below its mark interrupts if it may. Source: SiFive FU540-C000
 * Manual, UART. */

#include "level.h"

/* Registers, as word offsets. */
enum sifive_register {
    SIFIVE_TRANSMIT_CONTROL = 0x08 / 4,
    SIFIVE_INTERRUPTS = 0x10 / 4,
};

/* Transmit, with the mark at one byte. */
#define SIFIVE_ENABLE_MARK_1 0x10001u
#define SIFIVE_TRANSMIT_BELOW_MARK 1u

/* Address of the registers; set by the tool. */
seL4_Word level_base;

static volatile seL4_Uint32 *registers(void)
{
    return (volatile seL4_Uint32 *)level_base;
}

void level_start(void)
{
    registers()[SIFIVE_TRANSMIT_CONTROL] = SIFIVE_ENABLE_MARK_1;
}

void level_assert(void)
{
    registers()[SIFIVE_INTERRUPTS] = SIFIVE_TRANSMIT_BELOW_MARK;
}

void level_raise(void)
{
    level_assert();
}

void level_clear(void)
{
    registers()[SIFIVE_INTERRUPTS] = 0;
}
