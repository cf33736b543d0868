/* Answers calls and measures its return from the kernel at each one. */

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

/* For the linker only: `init` receives the calls. */
microkit_msginfo protected(microkit_channel ch, microkit_msginfo msginfo)
{
    (void)ch;
    return msginfo;
}
