/* The physical timer of AArch64, which programs may use. Source: ARM DDI 0487, CNTP_CTL_EL0. */

#include "level.h"

/* In every description; this device has no registers in memory. */
seL4_Word level_base;

void level_start(void)
{
    /* A deadline that has passed. */
    __asm__ volatile ("msr cntp_cval_el0, xzr\n\tmsr cntp_ctl_el0, xzr\n\tisb" : : : "memory");
}

void level_assert(void)
{
    __asm__ volatile ("msr cntp_ctl_el0, %0\n\tisb" : : "r"(1ul) : "memory");
}

void level_raise(void)
{
    level_assert();
}

void level_clear(void)
{
    __asm__ volatile ("msr cntp_ctl_el0, xzr\n\tisb" : : : "memory");
}
