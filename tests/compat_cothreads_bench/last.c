/* Runs when all others wait. */
#include <microkit.h>

void init(void)
{
    microkit_dbg_puts("LIMEN|DONE\n");
}

void notified(microkit_channel ch)
{
    (void)ch;
}
