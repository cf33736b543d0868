/* The clock of the hart, and the first pulse-width modulator of SiFive's board, which counts up to an alarm. Source: SiFive
 * FU540-C000 Manual, PWM. */

#include "clock.h"

/* Registers, as word offsets. */
enum sifive_register {
    PWM_CONFIGURATION = 0x00 / 4,
    PWM_COUNT = 0x08 / 4,
    PWM_COMPARATOR = 0x20 / 4,
};

/* Counts continuously, one step per 512 bus ticks: at 500 MHz, a little more than a microsecond. */
#define CONFIGURATION_ON 0x1009u
/* Stopped, with the same step length. */
#define CONFIGURATION_OFF 0x9u
#define MOST_STEPS 0xffffu

/* Address of the registers; set by the tool. */
volatile unsigned *clock_registers;

void clock_start(void)
{
    clock_quiet();
}

/* The clock of the board has one tick in a microsecond. */
unsigned long clock_now(void)
{
    unsigned long ticks;
    __asm__ volatile ("rdtime %0" : "=r"(ticks));
    return ticks;
}

/* A step is longer than a microsecond. An alarm beyond the range comes early and is set again. */
void clock_set_alarm(unsigned long when)
{
    clock_quiet();
    if (when == NEVER) {
        return;
    }
    unsigned long now = clock_now();
    unsigned long steps = when > now ? when - now : 1;
    clock_registers[PWM_COUNT] = 0;
    clock_registers[PWM_COMPARATOR] = (unsigned)(steps < MOST_STEPS ? steps : MOST_STEPS);
    clock_registers[PWM_CONFIGURATION] = CONFIGURATION_ON;
}

/* Stopping the counter is not enough: the line is active while the count is at or above the comparator. */
void clock_quiet(void)
{
    clock_registers[PWM_COMPARATOR] = MOST_STEPS;
    clock_registers[PWM_COUNT] = 0;
    clock_registers[PWM_CONFIGURATION] = CONFIGURATION_OFF;
}
