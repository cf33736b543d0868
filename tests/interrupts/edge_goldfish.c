/* The clock of QEMU's RISC-V machine: an alarm that lies in the past interrupts at once. Source: Goldfish virtual
 * hardware, RTC. */

#include "edge.h"

/* Registers, as word offsets. */
enum goldfish_register {
    GOLDFISH_ALARM_LOW = 0x08 / 4,
    GOLDFISH_ALARM_HIGH = 0x0c / 4,
    GOLDFISH_INTERRUPT_ENABLED = 0x10 / 4,
    GOLDFISH_CLEAR_INTERRUPT = 0x1c / 4,
};

/* Address of the registers; set by the tool. */
seL4_Word edge_base;

static volatile seL4_Uint32 *registers(void)
{
    return (volatile seL4_Uint32 *)edge_base;
}

void edge_start(void)
{
    registers()[GOLDFISH_CLEAR_INTERRUPT] = 1;
    registers()[GOLDFISH_INTERRUPT_ENABLED] = 1;
}

void edge_raise(void)
{
    registers()[GOLDFISH_ALARM_HIGH] = 0;
    registers()[GOLDFISH_ALARM_LOW] = 0;
}

void edge_clear(void)
{
    registers()[GOLDFISH_CLEAR_INTERRUPT] = 1;
}
