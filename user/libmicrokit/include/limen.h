/* What only Limen offers. */
#ifndef LIMEN_H
#define LIMEN_H

#include <sel4/sel4.h>

/* The processor's cycle counter; in deterministic emulation it counts instructions. Whatever the program does before
 * the call is complete when the counter is read. Faults unless the system description grants <counter/>. */
LIMEN_INLINE seL4_Uint64 limen_counter(void)
{
    seL4_Uint64 count;
    __asm__ volatile (LIMEN_READ_COUNTER : "=r"(count) : : "memory");
    return count;
}

#endif /* LIMEN_H */
