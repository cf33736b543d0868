/* Waits for a plan. */

#include <microkit.h>

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
    microkit_dbg_puts("customer: there is a plan\n");
}
