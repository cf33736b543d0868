/* Follows orders, and is used in the middle of them. */

#include "features.h"
#include "held.h"

/* Channels: a victims' server, and a server that may compute for ever. */
#define SERVER 0
#define PAL_SERVER 1
/* Where its faults go. */
#define FAULT_SLOT 2
/* A digest and a key, and itself and its time in the root table. */
#define DIGEST 0
#define KEY 0
#define OWN_THREAD 1
#define OWN_TIME 2

/* More than the least budget lasts for. */
#define SMALL_BUDGET_TURNS 10000
/* Callers and signals that are answered before the event loop waits again. */
#define ANSWERS 8

/* Set by the tool. */
seL4_Word orders, secrets;

static struct held held;
static volatile seL4_Word counted;

static void wait(void)
{
    seL4_Word badge;
    seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
}

static void compute(void)
{
    for (seL4_Word seed = 1;; seed++) {
        held_fill(&held, seed);
        hold_nothing(&held);
    }
}

/* Parts itself from what it has, and takes it again. */
static void meddle(void)
{
    seL4_CPtr thread = microkit_cspace_root_slot_to_cptr(OWN_THREAD);
    seL4_CPtr time = microkit_cspace_root_slot_to_cptr(OWN_TIME);
    seL4_TCB_UnbindNotification(thread);
    seL4_TCB_BindNotification(thread, LIMEN_INPUT_CAP);
    seL4_SchedContext_Unbind(time);
    seL4_SchedContext_Bind(time, LIMEN_INPUT_CAP);
    seL4_SchedContext_UnbindObject(time, LIMEN_INPUT_CAP);
    wait();
}

static void obey(seL4_Word order)
{
    limen_digest_t digest;
    switch (order) {
    case STATE_SENDING:
        seL4_Send(FAULT_SLOT, seL4_MessageInfo_new(counted, 0, 0, 4));
        break;
    case STATE_CALLING:
        seL4_Call(FAULT_SLOT, seL4_MessageInfo_new(counted, 0, 0, 4));
        break;
    case STATE_FAULTED:
        *(volatile seL4_Word *)secrets = order;
        __asm__ volatile (UNDEFINED_INSTRUCTION);
        break;
    case STATE_AT_WORK:
        limen_digest(DIGEST, &digest);
        break;
    case STATE_PREEMPTED:
    case STATE_OUT_OF_TIME:
    case STATE_STOPPED:
        counted++;
        break;
    case STATE_COMPUTING:
        compute();
        break;
    case STATE_LENDING:
        microkit_ppcall(PAL_SERVER, microkit_msginfo_new(STATE_COMPUTING, 0));
        break;
    case STATE_ANSWERED:
        microkit_ppcall(PAL_SERVER, microkit_msginfo_new(STATE_ANSWERED, 0));
        break;
    case STATE_SERVED:
        microkit_ppcall(SERVER, microkit_msginfo_new(counted, 16));
        break;
    case STATE_SWITCHING:
        limen_key_inc(KEY);
        limen_key_dec(KEY);
        break;
    case STATE_MEDDLING:
        meddle();
        break;
    default:
        wait();
        break;
    }
}

static enum thread self(void)
{
    return microkit_name[0] == 'n' ? NEAR : microkit_name[0] == 'f' ? FAR : PAL;
}

/* The passive server waits, so that its time is where it belongs; but it can be ordered to do the rest as well. */
void init(void)
{
    for (;;) {
        seL4_Word order = ((struct orders *)orders)->order[self()];
        ((struct orders *)orders)->reached[self()] = order;
        if (self() == PAL && (order == STATE_RECEIVING || order == STATE_LENDING || order == STATE_ANSWERED)) {
            return;
        }
        obey(order);
    }
}

/* Uses up its own time, if that is a small budget. */
void notified(microkit_channel ch)
{
    (void)ch;
    for (seL4_Word i = 0; i < SMALL_BUDGET_TURNS; i++) {
        counted++;
    }
}

/* Answers callers on their time, each with the send of a system call that waits for the next one. */
static void answer_first(void)
{
    seL4_Word badge;
    seL4_MessageInfo_t message = seL4_MessageInfo_new(0, 0, 0, 0);
    for (seL4_Word turn = 0; turn < ANSWERS; turn++) {
        message = seL4_NBSendRecv(LIMEN_REPLY_CAP, message, LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
    }
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    (void)ch;
    if (microkit_msginfo_get_label(request) == STATE_COMPUTING) {
        compute();
    }
    if (microkit_msginfo_get_label(request) == STATE_ANSWERED) {
        answer_first();
    }
    return request;
}
