/* Begins the chain of calls. */

#include <microkit.h>

#define NEXT 1

void init(void)
{
    microkit_ppcall(NEXT, microkit_msginfo_new(0, 0));
}

void notified(microkit_channel ch)
{
    (void)ch;
}
