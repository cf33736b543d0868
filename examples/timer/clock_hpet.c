/* The event timer of a PC: its counter, and its first comparator. Source: IA-PC HPET Specification, 2.3. */

#include "clock.h"

/* Registers, as offsets in words of 64 bits. */
enum hpet_register {
    HPET_CAPABILITIES = 0x00 / 8,
    HPET_CONFIGURATION = 0x10 / 8,
    HPET_STATUS = 0x20 / 8,
    HPET_COUNTER = 0xf0 / 8,
    HPET_TIMER_CONFIGURATION = 0x100 / 8,
    HPET_TIMER_COMPARATOR = 0x108 / 8,
};

/* Counts, and replaces the 8254, which would otherwise interrupt at the same I/O APIC pin: 2. */
#define COUNT_IN_PLACE_OF_8254 3ul
#define TIMER_0 1ul
/* Level-triggered interrupt, enabled. */
#define TIMER_ON (1ul << 1 | 1ul << 2)
/* The capability field with the tick length in femtoseconds. */
#define PERIOD_SHIFT 32
#define FS_PER_US 1000000000ul

/* Address of the registers; set by the tool. */
volatile unsigned long *clock_registers;

static unsigned long ticks_per_us;

void clock_start(void)
{
    clock_registers[HPET_TIMER_CONFIGURATION] = 0;
    ticks_per_us = FS_PER_US / (clock_registers[HPET_CAPABILITIES] >> PERIOD_SHIFT);
    clock_registers[HPET_CONFIGURATION] = COUNT_IN_PLACE_OF_8254;
}

unsigned long clock_now(void)
{
    return clock_registers[HPET_COUNTER] / ticks_per_us;
}

void clock_set_alarm(unsigned long when)
{
    clock_registers[HPET_TIMER_CONFIGURATION] = 0;
    if (when <= NEVER / ticks_per_us) {
        clock_registers[HPET_TIMER_COMPARATOR] = when * ticks_per_us;
        clock_registers[HPET_TIMER_CONFIGURATION] = TIMER_ON;
    }
}

void clock_quiet(void)
{
    clock_registers[HPET_STATUS] = TIMER_0;
}
