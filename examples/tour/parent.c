/* Manages a child: wakes it, handles its fault, and restarts it. */

#include <microkit.h>

#include "say.h"

#define CLIENT 1
#define CHILD_CHANNEL 2

/* The entry point of every program is the first byte of its image. */
#define ENTRY_POINT 0x200000

void init(void)
{
}

void notified(microkit_channel ch)
{
    if (ch == CLIENT) {
        say("I wake my child.");
        microkit_notify(CHILD_CHANNEL);
    } else if (ch == CHILD_CHANNEL) {
        say("my child is well; I tell the client.");
        microkit_notify(CLIENT);
    }
}

/* The child stopped at a forbidden access. The restart sets its program counter and leaves its memory unchanged. */
seL4_Bool fault(microkit_child child, microkit_msginfo msginfo, microkit_msginfo *reply_msginfo)
{
    (void)reply_msginfo;
    if (microkit_msginfo_get_label(msginfo) == seL4_Fault_VMFault) {
        say_number("my child tried to access address ", seL4_GetMR(seL4_VMFault_Addr), "; I restart it.");
        microkit_pd_restart(child, ENTRY_POINT);
    } else {
        say_plainly("LIMEN|FAIL the child had an unexpected fault");
        microkit_pd_stop(child);
    }
    /* The fault needs no reply, because the child runs from its entry point. */
    return seL4_False;
}
