/* Never enters the kernel. */

#include <microkit.h>

void init(void)
{
    for (;;) {
        __asm__ volatile("");
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
