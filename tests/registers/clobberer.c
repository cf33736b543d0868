/* Fills every register with values of its own whenever it runs, and answers. */

#include "held.h"

static struct held held;
static seL4_Word seed = 0xc10bbe5;

static void clobber(void)
{
    held_fill(&held, ++seed);
    hold_nothing(&held);
}

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
    clobber();
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    (void)ch;
    clobber();
    return request;
}
