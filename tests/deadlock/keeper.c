/* Restarts its child when it faults. */

#include <microkit.h>

/* At the same address in every program. */
extern char _start[];

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
    microkit_pd_restart(child, (seL4_Word)_start);
    return seL4_False;
}
