/* What only Limen offers. */
#ifndef LIMEN_H
#define LIMEN_H

#include <sel4/sel4.h>

/* The processor's cycle counter; in deterministic emulation it counts instructions. On AArch64, whatever the program
 * does before the call is complete when the counter is read. Faults unless the system description grants <counter/>. */
LIMEN_INLINE seL4_Uint64 limen_counter(void)
{
    seL4_Uint64 count;
    LIMEN_READ_COUNTER(count);
    return count;
}

/* What the counter said at the first instruction of the loader: counts of boot start here. Read it before anything is
 * written to the user data of the IPC buffer. */
LIMEN_INLINE seL4_Uint64 limen_boot_stamp(void)
{
    return seL4_GetIPCBuffer()->userData;
}

#endif /* LIMEN_H */
