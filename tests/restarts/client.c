/* Calls a child when the tester signals it, and counts the replies. */

#include "life.h"

seL4_Word life;

void init(void)
{
}

void notified(microkit_channel ch)
{
    /* The channel of the child follows that of the signal. */
    microkit_ppcall(ch + 1, microkit_msginfo_new(0, 0));
    ((struct life *)life)->replies++;
}
