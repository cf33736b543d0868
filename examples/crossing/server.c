/* Answers calls, and measures its return from the kernel at each of them. */

#include "arrivals.h"

/* Set by the tool. */
seL4_Word arrivals;

void init(void)
{
    arrive((struct arrivals *)arrivals, SERVER, seL4_SysRecv, seL4_SysReplyRecv);
}

void notified(microkit_channel ch)
{
    (void)ch;
}

/* Is there for the linker: calls are received in `init`. */
microkit_msginfo protected(microkit_channel ch, microkit_msginfo msginfo)
{
    (void)ch;
    return msginfo;
}
