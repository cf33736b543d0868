/* The controller of the flash memory of SiFive's board: a transmit queue below its mark interrupts if it may. Its line does
 * not fit in the first word of the interrupt controller's enable bits. Source: SiFive FU540-C000 Manual, SPI. */

#include "level.h"

/* Registers, as word offsets. */
enum sifive_spi_register {
    SIFIVE_SPI_TRANSMIT_MARK = 0x50 / 4,
    SIFIVE_SPI_INTERRUPTS = 0x70 / 4,
};

#define SIFIVE_SPI_MARK_1 1u
#define SIFIVE_SPI_TRANSMIT_BELOW_MARK 1u

/* Address of the registers; set by the tool. */
seL4_Word level_base;

static volatile seL4_Uint32 *registers(void)
{
    return (volatile seL4_Uint32 *)level_base;
}

void level_start(void)
{
    registers()[SIFIVE_SPI_TRANSMIT_MARK] = SIFIVE_SPI_MARK_1;
}

void level_assert(void)
{
    registers()[SIFIVE_SPI_INTERRUPTS] = SIFIVE_SPI_TRANSMIT_BELOW_MARK;
}

void level_raise(void)
{
    level_assert();
}

void level_clear(void)
{
    registers()[SIFIVE_SPI_INTERRUPTS] = 0;
}
