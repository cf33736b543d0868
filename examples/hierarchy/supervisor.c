/* The upper parent: restarts the manager when the manager gives up. */

#include "report.h"

#define MANAGER_CHANNEL 0

void init(void)
{
    microkit_dbg_puts("supervisor: I watch the manager\n");
}

void notified(microkit_channel ch)
{
    if (ch == MANAGER_CHANNEL) {
        microkit_dbg_puts("supervisor: all work is done\n");
        microkit_dbg_puts("LIMEN|DONE\n");
    }
}

seL4_Bool fault(microkit_child child, microkit_msginfo msginfo, microkit_msginfo *reply_msginfo)
{
    (void)reply_msginfo;
    report_fault("supervisor: the manager", msginfo);
    microkit_dbg_puts("supervisor: I restart the manager\n");
    microkit_pd_restart(child, ENTRY_POINT);
    /* No reply: the manager does not continue where it faulted. */
    return seL4_False;
}
