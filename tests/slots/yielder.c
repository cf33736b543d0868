/* Is in the kernel as often as one program can be. */

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
