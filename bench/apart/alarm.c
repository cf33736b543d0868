/* Gives up its budget whenever it has some, so that the kernel of its processor programs the timer again and again. Once it has
 * been notified, that is. */

#include <microkit.h>

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
    for (;;) {
        seL4_Yield();
    }
}
