/* Makes a different mistake each time that it starts, and does its work the fourth time. */

#include <microkit.h>

#define MANAGER_CHANNEL 0

/* A restart changes no memory, so this counts. */
static int starts;

/* The compiler must not see that addresses are null, or it would refuse to make these mistakes. */
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
