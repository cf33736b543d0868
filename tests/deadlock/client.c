/* Calls a server that is restarted before it replies. */

#include <microkit.h>

void init(void)
{
    microkit_ppcall(1, microkit_msginfo_new(0, 0));
}

void notified(microkit_channel ch)
{
    (void)ch;
}
