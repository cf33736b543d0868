/* The monitor: reports faults of protection domains without a parent, and takes the scheduling contexts of passive
 * protection domains when their init is complete.
 *
 *   receive -+-> label 0: a passive program waits for its first event -> its notification gets its scheduling context
 *      ^     +-> a fault -> report                                                       |
 *      |     +-> the signal of a fault that a parent gets, in debug -> stack             |
 *      +-----------------------------(no reply: a faulted program stays stopped)--------+
 *
 * The badge is the index of the protection domain plus one. The monitor runs at the highest priority and prints only in
 * the debug configuration. */

#include "monitor.h"

#define PATCHED __attribute__((section(".data"), used))

PATCHED char pd_names[LIMEN_MAX_THREADS][MICROKIT_PD_NAME_LENGTH];
PATCHED seL4_Word pd_names_len;
PATCHED seL4_Word pd_stack_bottom_addrs[LIMEN_MAX_THREADS];

/* The scheduling context leaves the thread as soon as the thread blocks, so binding it to the notification is enough. */
static void make_passive(seL4_Word index)
{
    seL4_CPtr sched_context = LIMEN_MONITOR_BASE_SCHED_CONTEXT + index;
    seL4_CPtr notification = LIMEN_MONITOR_BASE_NOTIFICATION + index;
    /* After a restart the notification still has it, which is no error. */
    (void)seL4_SchedContext_UnbindObject(sched_context, notification);
    seL4_Error error = seL4_SchedContext_Bind(sched_context, notification);
    if (error != seL4_NoError) {
        microkit_dbg_puts("MON|ERROR: could not bind scheduling context to notification object\n");
        return;
    }
    microkit_dbg_puts("MON|INFO: PD '");
    print_name(pd_names[index]);
    microkit_dbg_puts("' is now passive!\n");
}

static void handle(seL4_MessageInfo_t message, seL4_Word badge)
{
#if defined(CONFIG_PRINTING)
    if (badge & LIMEN_BADGE_PRINTED_FAULT) {
        report_stacks(badge);
        return;
    }
#endif
    if (seL4_MessageInfo_get_label(message) == seL4_Fault_NullFault) {
        make_passive(badge - 1);
        return;
    }
#if defined(CONFIG_PRINTING)
    report_fault(message, badge);
#endif
}

int main(void)
{
    microkit_dbg_puts("MON|INFO: Microkit Monitor started!\n");
    for (;;) {
        seL4_Word badge;
        seL4_MessageInfo_t message = seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
        handle(message, badge);
    }
}
