/* The first comparator of a PC's event timer. The emulator's interrupts one tick after it is set to a time that has
 * passed; a real one would wait until the counter wraps around. Source: IA-PC HPET Specification, 2.3. */

#include "level.h"

/* Registers, as offsets in words of 64 bits. */
enum hpet_register {
    HPET_CONFIGURATION = 0x10 / 8,
    HPET_STATUS = 0x20 / 8,
    HPET_TIMER_CONFIGURATION = 0x100 / 8,
    HPET_TIMER_COMPARATOR = 0x108 / 8,
};

/* Counts, and replaces the 8254, which would otherwise interrupt at the same I/O APIC pin: 2. */
#define HPET_COUNT_IN_PLACE_OF_8254 3ul
#define HPET_TIMER_0 1ul
#define HPET_TIMER_LEVEL (1ul << 1)
#define HPET_TIMER_ENABLE (1ul << 2)
/* Address of the registers; set by the tool. */
seL4_Word level_base;

static volatile seL4_Uint64 *registers(void)
{
    return (volatile seL4_Uint64 *)level_base;
}

void level_start(void)
{
    registers()[HPET_TIMER_CONFIGURATION] = 0;
    registers()[HPET_CONFIGURATION] = HPET_COUNT_IN_PLACE_OF_8254;
    registers()[HPET_TIMER_COMPARATOR] = 0;
}

void level_assert(void)
{
    registers()[HPET_TIMER_CONFIGURATION] = HPET_TIMER_LEVEL | HPET_TIMER_ENABLE;
}

void level_raise(void)
{
    level_assert();
    /* The interrupted driver may deassert the line before this program sees it. */
    while (!(registers()[HPET_STATUS] & HPET_TIMER_0)
           && registers()[HPET_TIMER_CONFIGURATION] & HPET_TIMER_ENABLE) {
        /* The emulator's clock does not get on while its registers are read without a break. */
        for (int i = 0; i < 1000; i++) {
            __asm__ volatile ("pause");
        }
    }
}

void level_clear(void)
{
    registers()[HPET_TIMER_CONFIGURATION] = 0;
    registers()[HPET_STATUS] = HPET_TIMER_0;
}
