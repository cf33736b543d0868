/* The child of the hostile program, which makes it run anywhere with any registers. */

#include <microkit.h>

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}
