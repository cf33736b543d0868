/* The parent of the attackers: gives them and their children back what they have lost, and starts them over. */

#include "features.h"

/* Set by the tool. */
seL4_Word record;

#define OWN_MAX_PRIORITY CAP(SLOT_OWN_THREAD, 0)
/* The tester. */
#define TESTER 2

static struct record *count(void)
{
    return (struct record *)record;
}

static void give_back(enum thread thread)
{
    seL4_CPtr control = CAP(SLOT_CONTROL, 0), own = CAP(SLOT_THREAD, thread), time = CAP(SLOT_TIME, thread);
    seL4_TCB_Suspend(own);
    seL4_TCB_SetMCPriority(own, OWN_MAX_PRIORITY, PRIORITY);
    seL4_TCB_SetPriority(own, OWN_MAX_PRIORITY, PRIORITY);
    seL4_TCB_SetFlags(own, seL4_TCBFlag_fpuDisabled, 0);
    seL4_SchedControl_Configure(control, time, BUDGET_OF(thread), BUDGET_OF(thread), 0, 0);
    for (int other = 0; other < THREADS; other++) {
        seL4_SchedContext_UnbindObject(CAP(SLOT_TIME, other), own);
        seL4_SchedContext_UnbindObject(time, CAP(SLOT_THREAD, other));
    }
    seL4_SchedContext_Bind(time, own);
}

static void start(enum thread thread)
{
    count()->restarts++;
    seL4_TCB_SetFlags(CAP(SLOT_THREAD, thread), seL4_TCBFlag_fpuDisabled, 0);
    seL4_Error error = start_over(thread);
    if (error != seL4_NoError) {
        microkit_internal_crash(error);
    }
}

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
    for (int thread = 0; thread < THREADS; thread++) {
        give_back((enum thread)thread);
    }
    for (int thread = 0; thread < ATTACKERS; thread++) {
        start((enum thread)thread);
    }
}

seL4_Bool fault(microkit_child child, microkit_msginfo message, microkit_msginfo *answer)
{
    (void)message;
    (void)answer;
    start((enum thread)child);
    return seL4_False;
}
