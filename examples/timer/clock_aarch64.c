/* The physical timer of AArch64, whose system registers programs may use. Source: ARM DDI 0487, the Generic Timer. */

#include "clock.h"

#define US_PER_SECOND 1000000ul

static unsigned long frequency;

void clock_start(void)
{
    __asm__ volatile ("mrs %0, cntfrq_el0" : "=r"(frequency));
    clock_quiet();
}

unsigned long clock_now(void)
{
    unsigned long ticks;
    __asm__ volatile ("isb\n\tmrs %0, cntpct_el0" : "=r"(ticks));
    return ticks / frequency * US_PER_SECOND + ticks % frequency * US_PER_SECOND / frequency;
}

void clock_set_alarm(unsigned long when)
{
    if (when == NEVER) {
        clock_quiet();
        return;
    }
    unsigned long part = when % US_PER_SECOND * frequency;
    unsigned long ticks = when / US_PER_SECOND * frequency + (part + US_PER_SECOND - 1) / US_PER_SECOND;
    __asm__ volatile ("msr cntp_cval_el0, %0\n\tmsr cntp_ctl_el0, %1\n\tisb" : : "r"(ticks), "r"(1ul));
}

void clock_quiet(void)
{
    __asm__ volatile ("msr cntp_ctl_el0, xzr\n\tisb");
}
