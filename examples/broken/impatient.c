/* Polls until the desk is clear. The helper, which clears it, has a lower priority and never runs. */

#include <microkit.h>

int *desk;

__attribute__((noinline)) static void wait_until_clear(volatile int *papers)
{
    while (*papers >= 0) {
    }
}

void init(void)
{
    wait_until_clear(desk);
    microkit_dbg_puts("impatient: the desk is clear\n");
}

void notified(microkit_channel ch)
{
    (void)ch;
}
