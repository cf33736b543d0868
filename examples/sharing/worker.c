/* Prints a line for each signal. */

#include <microkit.h>

void init(void)
{
}

void notified(microkit_channel ch)
{
    microkit_dbg_puts("  ");
    microkit_dbg_puts(microkit_name);
    microkit_dbg_puts(" works\n");
    microkit_notify(ch);
}
