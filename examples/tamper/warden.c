/* Receives the faults of the client, whose secret it could read. */

#include "secret.h"

/* Set by the tool. */
secret_word_t *session;

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

seL4_Bool fault(microkit_child child, microkit_msginfo msginfo, microkit_msginfo *reply_msginfo)
{
    (void)msginfo;
    (void)reply_msginfo;
    /* This is the program's first action after the fault. */
    secret_print("warden: the client has faulted, words of its secret that are left: ", session);
    microkit_pd_stop(child);
    microkit_dbg_puts("LIMEN|DONE\n");
    return seL4_False;
}
