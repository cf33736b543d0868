/* Faults in a different way at each of its first three starts, and does its work at the fourth. */

#include <microkit.h>

#define MANAGER_CHANNEL 0

/* Survives restarts, which do not change memory. */
static int starts;

/* Hides null addresses from the compiler, which would otherwise not emit the accesses. */
static void write_to(seL4_Word address)
{
    __asm__ volatile ("" : "+r"(address));
    *(volatile int *)address = 0;
}

static void jump_to(seL4_Word address)
{
    __asm__ volatile ("" : "+r"(address));
    ((void (*)(void))address)();
}

void init(void)
{
    starts++;
    microkit_dbg_puts("worker: start ");
    microkit_dbg_put32((seL4_Uint32)starts);
    microkit_dbg_puts("\n");
    switch (starts) {
    case 1:
        write_to(0);
        break;
    case 2:
        jump_to(16);
        break;
    case 3:
        __builtin_trap();
        break;
    default:
        microkit_dbg_puts("worker: this time it works\n");
        microkit_notify(MANAGER_CHANNEL);
        break;
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
