/* Gives its scheduling context to a passive server, by sending to it without calling, and never runs again. */

#include <microkit.h>

#define PASSIVE 1

void init(void)
{
    seL4_Word badge;
    seL4_NBSendRecv(BASE_ENDPOINT_CAP + PASSIVE, seL4_MessageInfo_new(0, 0, 0, 0), LIMEN_INPUT_CAP, &badge,
                    LIMEN_REPLY_CAP);
}

void notified(microkit_channel ch)
{
    (void)ch;
}
