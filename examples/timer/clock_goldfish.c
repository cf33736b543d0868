/* The clock of QEMU's RISC-V machine. Source: Goldfish virtual hardware, RTC. */

#include "clock.h"

/* Registers, as word offsets. */
enum goldfish_register {
    /* Reading the lower half latches the upper one. */
    GOLDFISH_TIME_LOW = 0x00 / 4,
    GOLDFISH_TIME_HIGH = 0x04 / 4,
    /* Writing the lower half sets the alarm. */
    GOLDFISH_ALARM_LOW = 0x08 / 4,
    GOLDFISH_ALARM_HIGH = 0x0c / 4,
    GOLDFISH_INTERRUPT_ENABLED = 0x10 / 4,
    GOLDFISH_CLEAR_ALARM = 0x14 / 4,
    GOLDFISH_CLEAR_INTERRUPT = 0x1c / 4,
};

#define NS_PER_US 1000ul

/* Address of the registers; set by the tool. */
volatile unsigned *clock_registers;

void clock_start(void)
{
    clock_registers[GOLDFISH_CLEAR_ALARM] = 1;
    clock_quiet();
    clock_registers[GOLDFISH_INTERRUPT_ENABLED] = 1;
}

unsigned long clock_now(void)
{
    unsigned long low = clock_registers[GOLDFISH_TIME_LOW];
    return ((unsigned long)clock_registers[GOLDFISH_TIME_HIGH] << 32 | low) / NS_PER_US;
}

void clock_set_alarm(unsigned long when)
{
    if (when > NEVER / NS_PER_US) {
        clock_registers[GOLDFISH_CLEAR_ALARM] = 1;
        return;
    }
    clock_registers[GOLDFISH_ALARM_HIGH] = (unsigned)(when * NS_PER_US >> 32);
    clock_registers[GOLDFISH_ALARM_LOW] = (unsigned)(when * NS_PER_US);
}

void clock_quiet(void)
{
    clock_registers[GOLDFISH_CLEAR_INTERRUPT] = 1;
}
