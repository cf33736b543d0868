/* Enters the kernel as often as a program can. */

#include <microkit.h>

void init(void)
{
    for (;;) {
        seL4_Yield();
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
