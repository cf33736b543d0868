/* The lower parent, itself a child: restarts the worker twice, then escalates by faulting. */

#include "report.h"

#define WORKER 1
#define WORKER_CHANNEL 0
#define SUPERVISOR_CHANNEL 2

#define PATIENCE 2

/* These survive a restart of the manager, because a restart does not change memory. */
static int starts;
static int restarts_of_worker;

void init(void)
{
    starts++;
    if (starts == 1) {
        microkit_dbg_puts("manager: I watch the worker\n");
        return;
    }
    microkit_dbg_puts("manager: I am back and start the worker once more\n");
    microkit_pd_restart(WORKER, ENTRY_POINT);
}

void notified(microkit_channel ch)
{
    if (ch == WORKER_CHANNEL) {
        microkit_dbg_puts("manager: the worker is done\n");
        microkit_notify(SUPERVISOR_CHANNEL);
    }
}

seL4_Bool fault(microkit_child child, microkit_msginfo msginfo, microkit_msginfo *reply_msginfo)
{
    (void)reply_msginfo;
    report_fault("manager: the worker", msginfo);
    if (restarts_of_worker == PATIENCE) {
        microkit_dbg_puts("manager: I stop the worker and give up\n");
        microkit_pd_stop(child);
        microkit_internal_crash(seL4_IllegalOperation);
    }
    restarts_of_worker++;
    microkit_dbg_puts("manager: I restart the worker\n");
    microkit_pd_restart(child, ENTRY_POINT);
    return seL4_False;
}
