/* The physical timer of AArch64, which programs may use. Source: ARM DDI 0487, CNTP_CTL_EL0. */

#include "moment.h"

#define NANOSECONDS 1000000000ul

/* In every description; this device has no registers in memory. */
seL4_Word device_base;

/* Instructions per tick. */
static seL4_Word step(void)
{
    seL4_Word frequency;
    __asm__ volatile ("mrs %0, cntfrq_el0" : "=r"(frequency));
    return NANOSECONDS / frequency;
}

/* The counter value when the timer started. The smallest of many differences comes from a pair of reads at the start of a
 * tick. */
seL4_Word moment_start(void)
{
    seL4_Word least = ~0ul;
    for (int i = 0; i < 1000; i++) {
        seL4_Word ticks, count;
        __asm__ volatile ("isb\n\tmrs %0, cntpct_el0\n\tmrs %1, pmccntr_el0" : "=r"(ticks), "=r"(count) : : "memory");
        seL4_Word start = count - ticks * step();
        least = start < least ? start : least;
    }
    return least;
}

seL4_Word moment_set(seL4_Word moment, seL4_Word start)
{
    seL4_Word ticks = (moment - start + step() - 1) / step();
    __asm__ volatile ("msr cntp_cval_el0, %0\n\tmsr cntp_ctl_el0, %1\n\tisb" : : "r"(ticks), "r"(1ul) : "memory");
    return start + ticks * step();
}

void moment_clear(void)
{
    __asm__ volatile ("msr cntp_ctl_el0, xzr\n\tisb" : : : "memory");
}
