/* Calls in a loop. */

#include <microkit.h>

void init(void)
{
    for (;;) {
        microkit_ppcall(0, microkit_msginfo_new(0, 0));
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
