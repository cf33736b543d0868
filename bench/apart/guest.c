/* Waits, computes, or uses everything of the kernel's that a program has for programs of its own domain: calls and signals on
 * its own processor and to the next one, children on both that fault and are stopped and restarted, a program that programs the
 * timer, and methods that fail. */

#include <limen.h>

#include "apart.h"

#define SERVER_HERE 0
#define SERVER_ELSEWHERE 1
#define NEXT 2
#define PREVIOUS 3
#define ALARM 4
#define OBSERVER 5
#define CHILD_HERE 0
#define CHILD_ELSEWHERE 1
#define NO_CHILD 9

seL4_Word orders;
seL4_Word work;

static void end_round(void)
{
    seL4_Word *rounds = &((struct work *)work)->rounds[own_number() - 1];
    store(rounds, load(rounds) + 1);
}

static void receive_fault(void)
{
    seL4_Word badge;
    do {
        seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
    } while (!(badge & LIMEN_BADGE_CHILD_FAULT));
}

static void let_fault(microkit_child child)
{
    microkit_pd_restart(child, ENTRY);
    receive_fault();
    seL4_Send(LIMEN_REPLY_CAP, seL4_MessageInfo_new(0, 0, 0, 0));
    receive_fault();
    microkit_pd_stop(child);
    microkit_pd_resume(child);
    microkit_pd_stop(child);
}

static void be_hostile(void)
{
    microkit_ppcall(SERVER_HERE, microkit_msginfo_new(1, 0));
    microkit_ppcall(SERVER_ELSEWHERE, microkit_msginfo_new(1, 20));
    microkit_notify(NEXT);
    microkit_notify(PREVIOUS);
    let_fault(CHILD_HERE);
    let_fault(CHILD_ELSEWHERE);
    seL4_TCB_Suspend(BASE_TCB_CAP + NO_CHILD);
    seL4_Yield();
}

static void compute(void)
{
    for (seL4_Word round = 0; round < 1000; round++) {
        __asm__ volatile ("" : "+r"(round));
    }
}

void init(void)
{
}

void notified(microkit_channel ch)
{
    if (ch == OBSERVER) {
        microkit_notify(NEXT);
    }
    while (load(&((struct orders *)orders)->phase) == COMPUTING) {
        compute();
        end_round();
    }
    microkit_notify(ALARM);
    for (;;) {
        be_hostile();
        end_round();
    }
}

seL4_Bool fault(microkit_child child, microkit_msginfo message, microkit_msginfo *answer)
{
    (void)child;
    (void)message;
    (void)answer;
    return seL4_False;
}
