/* Calls a server under each policy, allows and forbids the unit, and has a child use the unit without permission.
 *
 * fpu_call: the first read is followed by microkit_ppcall; the second is the server's, when it has computed.
 * fpu_replyrecv: the first read is the server's, before it answers; the second is the caller's, when it has computed.
 * Both compute with floating-point numbers or integers (build). Both may use the unit, or the caller only (mixed), or
 * neither (off).
 *
 * fpu_set_flags: between the two reads lies one seL4_TCB_SetFlags. `owner` tells whether the unit holds the registers of
 * the thread whose flag changes.
 *
 * fpu_first_use: between the two reads, both of a child, lies a computation that meets the unit turned off: by=kernel,
 * which enables the unit under fault-lazy; by=parent, which receives the fault and clears the flag. */

#include "number.h"
#include "policies.h"
#include "stamps.h"

#define SERVER 0
#define USER_CHANNEL 1
#define USER 0

/* Slots of the description. */
#define OWN_THREAD microkit_cspace_root_slot_to_cptr(1)
#define SERVER_THREAD microkit_cspace_root_slot_to_cptr(2)
#define USER_THREAD (BASE_TCB_CAP + USER)

/* Memory shared with the server and the child; set by the tool. */
seL4_Word stamps;

static struct samples calls;
static struct samples answers;
static number_t number;

static struct stamps *shared(void)
{
    return (struct stamps *)stamps;
}

static void allow(seL4_CPtr thread, int allowed)
{
    seL4_TCB_SetFlags_t answer = seL4_TCB_SetFlags(thread, 1, !allowed);
    bench_check(!answer.error && answer.flags == !allowed, "a flag was not changed");
}

static int call_once(void)
{
    seL4_Word before = limen_counter();
    microkit_ppcall(SERVER, microkit_msginfo_new(0, 0));
    compute(&number);
    seL4_Word after = limen_counter();
    samples_add(&answers, after - shared()->answering);
    return samples_add(&calls, shared()->received - before);
}

static void measure_calls(int policy, const char *fpu)
{
    samples_start(&calls);
    samples_start(&answers);
    while (call_once()) {
    }
    print_under(&calls, policy, "fpu_call", fpu);
    print_under(&answers, policy, "fpu_replyrecv", fpu);
}

static void measure_calls_under(int policy)
{
    choose_policy(policy);
    measure_calls(policy, " fpu=on" ROW_BUILD);
    if (BUILD_HAS_FP) {
        return;
    }
    allow(SERVER_THREAD, 0);
    measure_calls(policy, " fpu=mixed" ROW_BUILD);
    allow(OWN_THREAD, 0);
    measure_calls(policy, " fpu=off" ROW_BUILD);
    allow(OWN_THREAD, 1);
    allow(SERVER_THREAD, 1);
}

LIMEN_INLINE seL4_Word set_flags(seL4_CPtr thread, seL4_Word clear, seL4_Word set)
{
    seL4_Word before = limen_counter();
    seL4_TCB_SetFlags(thread, clear, set);
    return limen_counter() - before;
}

/* Forbids, allows and queries in a loop. */
static void measure_flags(seL4_CPtr thread, int is_owner, const char *forbid, const char *allow_again)
{
    samples_start(&calls);
    samples_start(&answers);
    do {
        if (!is_owner) {
            compute(&number);
        }
        samples_add(&answers, set_flags(thread, 0, 1));
    } while (samples_add(&calls, set_flags(thread, 1, 0)));
    samples_print(&answers, forbid);
    samples_print(&calls, allow_again);
}

static void measure_question(void)
{
    samples_start(&calls);
    while (samples_add(&calls, set_flags(OWN_THREAD, 0, 0))) {
    }
    samples_print(&calls, "fpu_set_flags target=self change=none owner=yes");
}

/* The server keeps the unit while the caller, which may not use it, runs. */
static seL4_Word forbid_owner(void)
{
    microkit_ppcall(SERVER, microkit_msginfo_new(0, 0));
    seL4_Word spent = set_flags(SERVER_THREAD, 0, 1);
    allow(SERVER_THREAD, 1);
    return spent;
}

static void measure_other_owner(void)
{
    allow(OWN_THREAD, 0);
    samples_start(&calls);
    while (samples_add(&calls, forbid_owner())) {
    }
    samples_print(&calls, "fpu_set_flags target=other change=forbid owner=yes");
    allow(OWN_THREAD, 1);
}

static void measure_set_flags(void)
{
    measure_question();
    measure_flags(OWN_THREAD, 1, "fpu_set_flags target=self change=forbid owner=yes",
                  "fpu_set_flags target=self change=allow owner=no");
    measure_flags(SERVER_THREAD, 0, "fpu_set_flags target=other change=forbid owner=no",
                  "fpu_set_flags target=other change=allow owner=no");
    measure_other_owner();
}

static seL4_MessageInfo_t receive(void)
{
    seL4_Word badge;
    return seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
}

/* Between two turns of the child the caller uses the unit. */
static seL4_Word use_by_kernel(void)
{
    compute(&number);
    microkit_notify(USER_CHANNEL);
    receive();
    return shared()->use;
}

static seL4_Word use_by_parent(void)
{
    seL4_Word badge;
    allow(USER_THREAD, 0);
    compute(&number);
    microkit_notify(USER_CHANNEL);
    seL4_MessageInfo_t message = receive();
    bench_check(seL4_MessageInfo_get_label(message) == seL4_Fault_UserException, "a use of the unit was no fault");
    seL4_TCB_SetFlags(USER_THREAD, 1, 0);
    seL4_ReplyRecv(LIMEN_INPUT_CAP, seL4_MessageInfo_new(0, 0, 0, 0), &badge, LIMEN_REPLY_CAP);
    return shared()->use;
}

static void measure_first_uses(void)
{
    choose_policy(LIMEN_FPU_FAULT_LAZY);
    samples_start(&calls);
    while (samples_add(&calls, use_by_kernel())) {
    }
    samples_print(&calls, "fpu_first_use by=kernel");
    choose_policy(LIMEN_FPU_SEMI_LAZY);
    samples_start(&calls);
    while (samples_add(&calls, use_by_parent())) {
    }
    samples_print(&calls, "fpu_first_use by=parent");
}

void init(void)
{
    for (int policy = 0; policy < POLICIES; policy++) {
        measure_calls_under(policy);
    }
    choose_policy(LIMEN_FPU_SEMI_LAZY);
    if (BUILD_HAS_FP) {
        measure_set_flags();
        measure_first_uses();
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}

seL4_Bool fault(microkit_child child, microkit_msginfo message, microkit_msginfo *answer)
{
    (void)child;
    (void)message;
    (void)answer;
    return seL4_False;
}
