/* Takes one call and does not answer it until it is notified. */

#include "service.h"

void init(void)
{
    seL4_Word badge;
    seL4_MessageInfo_t none = seL4_MessageInfo_new(0, 0, 0, 0);
    seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
    seL4_Wait(LIMEN_INPUT_CAP, &badge);
    seL4_Send(LIMEN_REPLY_CAP, none);
}

void notified(microkit_channel ch)
{
    (void)ch;
}
