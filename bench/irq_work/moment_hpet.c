/* The first comparator of a PC's event timer. Source: IA-PC HPET Specification, 2.3. */

#include "moment.h"

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
#define HPET_COUNT_IN_PLACE_OF_8254 3ul
#define HPET_TIMER_0 1ul
#define HPET_TIMER_LEVEL (1ul << 1)
#define HPET_TIMER_ENABLE (1ul << 2)
#define FEMTOSECONDS_OF_NANOSECOND 1000000ul

seL4_Word device_base;

static volatile seL4_Uint64 *registers(void)
{
    return (volatile seL4_Uint64 *)device_base;
}

/* Instructions per tick. */
static seL4_Word step(void)
{
    return (registers()[HPET_CAPABILITIES] >> 32) / FEMTOSECONDS_OF_NANOSECOND;
}

/* The instruction count when the timer's counter was 0. */
seL4_Word moment_start(void)
{
    registers()[HPET_CONFIGURATION] = 0;
    registers()[HPET_TIMER_CONFIGURATION] = 0;
    registers()[HPET_COUNTER] = 0;
    seL4_Word start = limen_counter();
    registers()[HPET_CONFIGURATION] = HPET_COUNT_IN_PLACE_OF_8254;
    return start;
}

/* The emulator's timer fires up to a tick late, which the measurement includes. */
seL4_Word moment_set(seL4_Word moment, seL4_Word start)
{
    seL4_Word tick = step();
    seL4_Word ticks = (moment - start + tick - 1) / tick;
    registers()[HPET_TIMER_COMPARATOR] = ticks;
    registers()[HPET_TIMER_CONFIGURATION] = HPET_TIMER_LEVEL | HPET_TIMER_ENABLE;
    return start + ticks * tick;
}

void moment_clear(void)
{
    registers()[HPET_TIMER_CONFIGURATION] = 0;
    registers()[HPET_STATUS] = HPET_TIMER_0;
}
