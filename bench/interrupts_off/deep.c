/* The end of the chain. Runs on the time of the first caller, and waits without an answer when it may go on. */

#include "figures.h"
#include "user.h"

seL4_Word shared_page;

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    (void)ch;
    microkit_notify(2);
    shared()->before = limen_counter();
    limen_trap_receive(seL4_SysRecv, LIMEN_INPUT_CAP, LIMEN_REPLY_CAP);
    return request;
}
