/* The server of the one-way call: reads the counter as soon as it is called. */

#include "ppc.h"
#include <limen.h>

/* The counter value for the client; set by the tool. */
seL4_Word stamp;

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    *(volatile seL4_Word *)stamp = limen_counter();
    return ch == MEASURED ? request : verify(request);
}
