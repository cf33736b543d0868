/* Clears the desk. */

#include <microkit.h>

int *desk;

void init(void)
{
    *(volatile int *)desk = -1;
}

void notified(microkit_channel ch)
{
    (void)ch;
}
