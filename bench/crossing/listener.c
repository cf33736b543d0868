/* Waits for notifications. */

#include "arrivals.h"

/* Set by the tool. */
seL4_Word arrivals;

void init(void)
{
    arrive((struct arrival *)arrivals + LISTENER, seL4_SysWait, seL4_SysWait);
}

void notified(microkit_channel ch)
{
    (void)ch;
}
