/* Answers calls. */

#include "arrivals.h"

/* Set by the tool. */
seL4_Word arrivals;

void init(void)
{
    arrive((struct arrival *)arrivals + SERVER, seL4_SysRecv, seL4_SysReplyRecv);
}

void notified(microkit_channel ch)
{
    (void)ch;
}

/* Never runs, because the program stays in init. */
microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    (void)ch;
    return request;
}
