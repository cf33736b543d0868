/* Uses everything that a program has, with programs of its own domain on all processors but the observer's: calls, signals, a
 * child that it stops, restarts, and resumes after a fault, a key, and floating point under every policy. Or waits. */

#include <limen.h>
#include <limen/static_key.h>

#include "state.h"
#include "test.h"
#include "work.h"

#define COMMON 1
#define QUICK 2
#define NEXT 3
#define OBSERVER 6
#define OBSERVERS_SERVER 7
#define CHILD 0
#define KEY 0

seL4_Word work;

static LIMEN_STATIC_KEY_FALSE(turned);
static struct state state;

static void receive_fault(void)
{
    seL4_Word badge;
    do {
        seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
    } while (!(badge & LIMEN_BADGE_CHILD_FAULT));
}

static void let_child_fault(void)
{
    microkit_pd_restart(CHILD, ENTRY);
    receive_fault();
    seL4_Send(LIMEN_REPLY_CAP, seL4_MessageInfo_new(0, 0, 0, 0));
    receive_fault();
    microkit_pd_stop(CHILD);
    microkit_pd_resume(CHILD);
    microkit_pd_stop(CHILD);
}

static void turn_key(void)
{
    limen_key_inc(KEY);
    if (limen_static_branch_unlikely(turned)) {
        limen_key_dec(KEY);
    }
}

static void use_floating_point(seL4_Word round)
{
    static const limen_fpu_policy_t policies[] = {
        LIMEN_FPU_SEMI_LAZY, LIMEN_FPU_EAGER, LIMEN_FPU_FAULT_LAZY, LIMEN_FPU_EARLY_SAVE,
    };
    limen_fpu_set_policy(policies[round % 4], round / 4 % 2 ? LIMEN_FPU_CONSTANT_EXIT : 0);
    state_fill(&state);
    state_write(&state);
}

static void reach_observer(void)
{
#if defined(CHANNEL_signal)
    if (own_number() == 1) {
        microkit_notify(OBSERVER);
    }
#elif defined(CHANNEL_server)
    if (own_number() == 1) {
        microkit_ppcall(OBSERVERS_SERVER, microkit_msginfo_new(0, 1));
    }
#endif
}

void init(void)
{
    for (seL4_Word round = 0; BUSY && !load(&all()->must_end); round++) {
        microkit_ppcall(COMMON, microkit_msginfo_new(round, 1));
        microkit_ppcall(QUICK, microkit_msginfo_new(round, 1));
        microkit_notify(NEXT);
        poll_signals();
        let_child_fault();
        turn_key();
        use_floating_point(round);
        reach_observer();
        store(&all()->rounds[own_number()], round + 1);
    }
    store(&all()->has_ended[own_number()], 1);
}

void notified(microkit_channel ch)
{
    (void)ch;
}

/* A guest that waits leaves its child where it faulted. */
seL4_Bool fault(microkit_child child, microkit_msginfo message, microkit_msginfo *answer)
{
    (void)child;
    (void)message;
    (void)answer;
    return seL4_False;
}
