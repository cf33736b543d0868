/* Records when it is called. */

#include <limen.h>

#include "log.h"

/* Set by the tool. */
seL4_Word log;

static void note(void)
{
    ((volatile struct log *)log)->echo = limen_counter();
}

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
    note();
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    (void)ch;
    note();
    return request;
}
