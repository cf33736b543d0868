/* The clock of QEMU's RISC-V machine, which counts nanoseconds and has an alarm. Source: Goldfish virtual hardware, RTC. */

#include "moment.h"

/* Registers, as word offsets. */
enum goldfish_register {
    GOLDFISH_TIME_LOW = 0x00 / 4,
    GOLDFISH_TIME_HIGH = 0x04 / 4,
    GOLDFISH_ALARM_LOW = 0x08 / 4,
    GOLDFISH_ALARM_HIGH = 0x0c / 4,
    GOLDFISH_INTERRUPT_ENABLED = 0x10 / 4,
    GOLDFISH_CLEAR_ALARM = 0x14 / 4,
    GOLDFISH_CLEAR_INTERRUPT = 0x1c / 4,
};

seL4_Word device_base;

static volatile seL4_Uint32 *registers(void)
{
    return (volatile seL4_Uint32 *)device_base;
}

/* The instruction count at time zero of the clock. */
seL4_Word moment_start(void)
{
    volatile seL4_Uint32 *clock = registers();
    clock[GOLDFISH_INTERRUPT_ENABLED] = 1;
    seL4_Word count = limen_counter();
    seL4_Word low = clock[GOLDFISH_TIME_LOW];
    return count - ((seL4_Word)clock[GOLDFISH_TIME_HIGH] << 32 | low);
}

seL4_Word moment_set(seL4_Word moment, seL4_Word start)
{
    seL4_Word time = moment - start;
    registers()[GOLDFISH_ALARM_HIGH] = time >> 32;
    registers()[GOLDFISH_ALARM_LOW] = (seL4_Uint32)time;
    return moment;
}

void moment_clear(void)
{
    registers()[GOLDFISH_CLEAR_ALARM] = 1;
    registers()[GOLDFISH_CLEAR_INTERRUPT] = 1;
}
