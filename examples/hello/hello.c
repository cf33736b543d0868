/* The smallest protection domain: it prints one line and waits for events that never come. */

#include <microkit.h>

void init(void)
{
    microkit_dbg_puts("Hello from a protection domain.\n");
    microkit_dbg_puts("LIMEN|DONE\n");
}

void notified(microkit_channel ch)
{
}
