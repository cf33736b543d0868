/* Tries to donate its scheduling context, which is worth little, to a passive server: then every client of that server
 * would be served on 2 ms in 3 s. Never runs again. */

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
