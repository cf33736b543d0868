/* Uses every capability that it has on itself, on the other attacker and on children of both, in pairs: what it has done
 * first is still there when it does the second. */

#include "features.h"
#include "held.h"
#include "level.h"
#include "random.h"

#include <limen/static_key.h>

/* Channels. */
#define ACTIVE 0
#define PASSIVE 1
#define OTHER 2
#define SERVED_BY_PAL 3
/* Its interrupt, if it has one, and its ports. */
#define INTERRUPT 9
#define PORTS 5

/* Services and keys. */
#define DIGESTS 3
#define RESET 3
#define SEAL 4
#define PROGRAM_KEYS 2
#define KERNEL_KEYS 2

/* How often a child is waited for. */
#define PATIENCE 12

/* Set by the tool: memory, and where its ports begin, if the machine has any. */
seL4_Word orders, record, turns, secrets, seals, first_port;

static enum thread self;

static struct held held;
static limen_crossing_t crossing;

static struct orders *ordered(void)
{
    return (struct orders *)orders;
}

static struct record *count(void)
{
    return (struct record *)record;
}

static seL4_CPtr thread_of(seL4_Word thread)
{
    return CAP(SLOT_THREAD, thread);
}

static seL4_CPtr time_of(seL4_Word thread)
{
    return CAP(SLOT_TIME, thread);
}

static seL4_Word one_of_ours(void)
{
    return random_below(THREADS);
}

/* Carries out a method with what is in the message buffer. */
static seL4_Bool ask(seL4_CPtr object, seL4_Word method, seL4_Word caps, seL4_Word words)
{
    count()->calls++;
    limen_words_t first = limen_load_words(seL4_GetIPCBuffer());
    limen_received_t answer = limen_invoke(object, (seL4_InvocationLabel)method, caps, words, first);
    return limen_outcome(answer) == seL4_NoError;
}

static seL4_Bool ask_with(seL4_CPtr object, seL4_Word method, seL4_Word mr0, seL4_Word mr1)
{
    seL4_SetMR(0, mr0);
    seL4_SetMR(1, mr1);
    return ask(object, method, 0, 2);
}

static seL4_Bool ask_about(seL4_CPtr object, seL4_Word method, seL4_CPtr argument)
{
    seL4_SetCap(0, argument);
    return ask(object, method, 1, 0);
}

/* Branches on a key, more than follow it in one go. */
static LIMEN_STATIC_KEY_FALSE(noisy);
#define EIGHT(what) what what what what what what what what
#define BRANCH +limen_static_branch_unlikely(noisy)

static __attribute__((noinline)) seL4_Word branches_taken(void)
{
    return EIGHT(EIGHT(BRANCH)) EIGHT(BRANCH) + 0ul;
}

static seL4_Bool configure(seL4_Word thread, seL4_Word budget_us, seL4_Word period_us)
{
    seL4_SetCap(0, time_of(thread));
    seL4_SetMR(2, random_below(9));
    seL4_SetMR(3, random_word());
    seL4_SetMR(4, random_below(2));
    seL4_SetMR(0, budget_us);
    seL4_SetMR(1, period_us);
    return ask(CAP(SLOT_CONTROL, 0), SchedControlConfigureFlags, 1, 5);
}

/* Gives a thread what others may have taken from it. */
static void repair(seL4_Word thread)
{
    configure(thread, BUDGET_OF(thread), BUDGET_OF(thread));
    ask_about(time_of(thread), SchedContextBind, thread_of(thread));
    seL4_SetCap(0, thread_of(thread));
    seL4_SetMR(0, PRIORITY);
    ask(thread_of(thread), TCBSetPriority, 1, 1);
    ask_with(thread_of(thread), TCBSetFlags, seL4_TCBFlag_fpuDisabled, 0);
}

static seL4_Bool bring_into(seL4_Word child, seL4_Word state)
{
    repair(child);
    ordered()->order[child] = state;
    ordered()->reached[child] = STATE_UNKNOWN;
    count()->calls++;
    start_over((enum thread)child);
    for (int i = 0; i < PATIENCE && ordered()->reached[child] != state; i++) {
        seL4_Yield();
    }
    if (state == STATE_STOPPED) {
        ask(thread_of(child), TCBSuspend, 0, 0);
    }
    if (state == STATE_OUT_OF_TIME) {
        configure(child, LEAST_BUDGET_US, MAX_PERIOD_US);
        seL4_Yield();
    }
    return ordered()->reached[child] == state;
}

static seL4_Bool use_read_registers(seL4_Word target)
{
    return ask_with(thread_of(target), TCBReadRegisters, random_below(2), 1 + random_below(LIMEN_CONTEXT_WORDS));
}

/* An attacker goes on from its start, a child anywhere. */
static seL4_Bool use_write_registers(seL4_Word target)
{
    seL4_UserContext context;
    seL4_Word *registers = (seL4_Word *)&context;
    for (seL4_Word i = 0; i < LIMEN_CONTEXT_WORDS; i++) {
        registers[i] = random_interesting();
    }
    if (target < ATTACKERS || random_below(2)) {
        context.PROGRAM_COUNTER = ENTRY;
        context.STACK_POINTER = STACK_TOP;
    }
    seL4_Word words = target < ATTACKERS ? LIMEN_CONTEXT_WORDS : random_below(LIMEN_CONTEXT_WORDS + 1);
    count()->calls++;
    return seL4_TCB_WriteRegisters(thread_of(target), random_below(2), 0, words, &context) == seL4_NoError;
}

static seL4_Bool use_suspend(seL4_Word target)
{
    return ask(thread_of(target), TCBSuspend, 0, 0);
}

static seL4_Bool use_resume(seL4_Word target)
{
    return ask(thread_of(target), TCBResume, 0, 0);
}

static seL4_Bool give_priority(seL4_Word target, seL4_Word method)
{
    seL4_SetCap(0, thread_of(one_of_ours()));
    seL4_SetMR(0, random_below(4) ? PRIORITY - random_below(3) : random_interesting());
    return ask(thread_of(target), method, 1, 1);
}

static seL4_Bool use_priority(seL4_Word target)
{
    return give_priority(target, TCBSetPriority);
}

static seL4_Bool use_max_priority(seL4_Word target)
{
    return give_priority(target, TCBSetMCPriority);
}

/* A thread that has lost its notification gets it back only by itself. */
static seL4_Bool use_bound_notification(seL4_Word target)
{
    ask_about(thread_of(target), TCBBindNotification, BASE_OUTPUT_NOTIFICATION_CAP + random_below(4));
    if (ask(thread_of(target), TCBUnbindNotification, 0, 0)) {
        return seL4_True;
    }
    return bring_into(NEAR, STATE_MEDDLING) && ask(thread_of(NEAR), TCBUnbindNotification, 0, 0);
}

static seL4_Bool use_thread_pointer(seL4_Word target)
{
    seL4_SetMR(0, random_interesting());
    return ask(thread_of(target), TCBSetTLSBase, 0, 1);
}

static seL4_Bool use_fpu_permission(seL4_Word target)
{
    return ask_with(thread_of(target), TCBSetFlags, random_interesting(), random_interesting());
}

/* What a method of a scheduling context is given. */
static seL4_CPtr holder_of_time(seL4_Word target)
{
    switch (random_below(4)) {
    case 0:
        return LIMEN_INPUT_CAP;
    case 1:
        return BASE_OUTPUT_NOTIFICATION_CAP + random_below(4);
    case 2:
        return thread_of(one_of_ours());
    default:
        return thread_of(target);
    }
}

static seL4_Bool use_scheduling_context(seL4_Word target)
{
    seL4_CPtr time = time_of(random_below(4) ? target : one_of_ours());
    switch (random_below(3)) {
    case 0:
        return ask(time, SchedContextUnbind, 0, 0);
    case 1:
        return ask_about(time, SchedContextUnbindObject, holder_of_time(target));
    default:
        return ask_about(time, SchedContextBind, holder_of_time(target));
    }
}

/* Unbinds a child's scheduling context while a victims' server or the children's server runs on it and has used it up. */
static seL4_Bool use_lent_time(seL4_Word target)
{
    seL4_Word child = target < ATTACKERS || target == PAL ? NEAR : target;
    bring_into(child, random_below(2) ? STATE_SERVED : STATE_ANSWERED);
    if (random_below(2)) {
        configure(PAL, LEAST_BUDGET_US, MAX_PERIOD_US);
        microkit_notify(SERVED_BY_PAL);
    }
    configure(child, LEAST_BUDGET_US, MAX_PERIOD_US);
    seL4_Yield();
    seL4_Bool granted = ask(time_of(child), SchedContextUnbind, 0, 0);
    if (random_below(2)) {
        granted &= ask_about(time_of(child), SchedContextBind, thread_of(child));
    }
    return granted;
}

static seL4_Bool use_consumed_time(seL4_Word target)
{
    return ask(time_of(target), SchedContextConsumed, 0, 0);
}

static seL4_Bool use_scheduling_control(seL4_Word target)
{
    seL4_Word period = LEAST_BUDGET_US + random_below(MAX_PERIOD_US - LEAST_BUDGET_US);
    seL4_Word budget = random_below(4) ? LEAST_BUDGET_US + random_below(period - LEAST_BUDGET_US + 1) : period;
    return configure(target, random_below(8) ? budget : 0, period);
}

static seL4_Bool switch_key(seL4_Word id)
{
    return ask(LIMEN_BASE_KEY_CAP + id, LimenKeyEnable + random_below(6), 0, 0);
}

static seL4_Bool use_program_key(seL4_Word target)
{
    (void)target;
    seL4_Bool granted = switch_key(random_below(PROGRAM_KEYS));
    seL4_Word taken = branches_taken();
    (void)taken;
    return granted;
}

static seL4_Bool use_kernel_key(seL4_Word target)
{
    (void)target;
    return switch_key(PROGRAM_KEYS + random_below(KERNEL_KEYS));
}

static seL4_Bool use_digest(seL4_Word target)
{
    (void)target;
    return ask(LIMEN_BASE_SERVICE_CAP + random_below(DIGESTS), LimenServiceRun, 0, 0);
}

static seL4_Bool use_reset(seL4_Word target)
{
    (void)target;
    if (random_below(4)) {
        ask(thread_of(self == MALLORY ? NEAR : PAL), TCBSuspend, 0, 0);
    }
    return ask(LIMEN_BASE_SERVICE_CAP + RESET, LimenServiceRun, 0, 0);
}

/* Key, ring and buffers are in one page. */
static seL4_Bool use_seal(seL4_Word target)
{
    (void)target;
    for (int i = 0; i < 16; i++) {
        ((volatile seL4_Word *)seals)[random_below(4096 / sizeof(seL4_Word))] = random_word();
    }
    return ask(LIMEN_BASE_SERVICE_CAP + SEAL, LimenServiceRun, 0, 0);
}

/* Only one of them has the device. */
static seL4_Bool use_interrupt_that_wipes(seL4_Word target)
{
    (void)target;
    if (self == MALLORY) {
        *(volatile seL4_Word *)secrets = random_word();
        level_raise();
        if (random_below(4)) {
            level_clear();
        }
    }
    return ask(BASE_IRQ_CAP + INTERRUPT, IRQAckIRQ, 0, 0);
}

static seL4_Bool use_fault_that_wipes(seL4_Word target)
{
    return bring_into(target < ATTACKERS ? NEAR : target, STATE_FAULTED);
}

/* For one event or for all. */
static seL4_Bool arm(limen_probe_event_t event, seL4_Word first, void (*last)(void))
{
    seL4_Word options = LIMEN_PROBE_EXIT | (random_below(2) ? LIMEN_PROBE_EVERY : 0);
    return limen_probe_arm(event, first, (seL4_Word)last, options) == seL4_NoError;
}

static seL4_Bool use_probe(seL4_Word target)
{
    (void)target;
    seL4_Bool granted = ask(LIMEN_PROBE_CAP, LimenProbeStart + random_below(2), 0, 0);
    switch (random_below(4)) {
    case 0:
        granted |= arm(limen_probe_undefined, (seL4_Word)limen_cross_undefined, limen_crossed_undefined);
        limen_cross_undefined(&crossing);
        break;
    case 1:
        granted |= arm(limen_probe_page_fault, (seL4_Word)limen_cross_page_fault, limen_crossed_page_fault);
        limen_cross_page_fault(&crossing);
        break;
    case 2:
        granted |= arm(limen_probe_system_call, (seL4_Word)limen_crossed_syscall, limen_crossed_syscall);
        crossing.number = (seL4_Word)seL4_SysYield;
        limen_cross_syscall(&crossing);
        break;
    default:
        ask(LIMEN_PROBE_CAP, LimenProbeRead, 0, 0);
        break;
    }
    return granted;
}

static seL4_Bool use_fpu_policy(seL4_Word target)
{
    (void)target;
    return ask_with(LIMEN_FPU_POLICY_CAP, LimenFpuSetPolicy, random_below(5), random_below(4));
}

static seL4_Bool use_fpu_counters(seL4_Word target)
{
    (void)target;
    return ask(LIMEN_FPU_COUNTERS_CAP, LimenFpuReadCounters, 0, 0);
}

static seL4_Bool use_fpu_registers(seL4_Word target)
{
    (void)target;
    held_fill(&held, random_word());
    hold_yield(&held);
    return seL4_True;
}

/* Of victims, too: its holder may only take their time. */
static seL4_Bool use_caches(seL4_Word target)
{
    (void)target;
    seL4_Word start = random_below(2) ? ENTRY + random_below(0x8000) : STACK_TOP - random_below(0x2000);
    seL4_Word end = start + random_below(0x2000);
    return ask_with(CAP(SLOT_SPACE, random_below(SPACES)), ARMVSpaceClean_Data + random_below(4), start, end);
}

static seL4_Bool use_ports(seL4_Word target)
{
    (void)target;
    return ask_with(BASE_IOPORT_CAP + PORTS, X86IOPortIn8 + random_below(6), first_port + random_below(9), 0);
}

/* Questions only: this right is one over the whole machine. Source: Arm DEN 0022. */
static seL4_Bool use_secure_monitor(seL4_Word target)
{
    (void)target;
    static const seL4_Word questions[] = { 0x84000000, 0x8400000a, 0x8400ffff };
    seL4_SetMR(0, questions[random_below(3)]);
    for (int i = 1; i < 8; i++) {
        seL4_SetMR(i, random_word());
    }
    return ask(ARM_SMC_CAP, ARMSMCCall, 0, random_below(8) ? 8 : random_below(8));
}

static seL4_Bool use_call(seL4_Word target)
{
    (void)target;
    static const seL4_Word servers[] = { ACTIVE, PASSIVE, PASSIVE, SERVED_BY_PAL };
    seL4_Word words = random_below(seL4_MsgMaxLength + 1);
    count()->calls++;
    microkit_ppcall((microkit_channel)servers[random_below(random_below(4) ? 3 : 4)],
                    microkit_msginfo_new(random_word(), (seL4_Uint16)words));
    return seL4_True;
}

/* With a receive that a signal of the other attacker ends, a fault of a child, or a restart. */
static seL4_Bool use_send_and_receive(seL4_Word target)
{
    (void)target;
    seL4_Word badge;
    seL4_MessageInfo_t message = seL4_MessageInfo_new(random_word(), 0, random_below(4), random_below(121));
    seL4_CPtr server = BASE_ENDPOINT_CAP + random_below(2);
    count()->calls++;
    switch (random_below(8)) {
    case 0:
        seL4_NBSendRecv(server, message, LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
        break;
    case 1:
        seL4_NBSendWait(server, message, LIMEN_INPUT_CAP, &badge);
        break;
    default:
        seL4_NBSend(server, message);
        break;
    }
    return seL4_True;
}

/* Takes a fault or a call of a child, and sometimes answers it, now or later. */
static seL4_Bool use_answer(seL4_Word target)
{
    (void)target;
    seL4_Word badge;
    count()->calls++;
    seL4_NBRecv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
    if (random_below(2)) {
        seL4_NBSend(LIMEN_REPLY_CAP, seL4_MessageInfo_new(random_below(2), 0, 0, random_below(20)));
    }
    return seL4_True;
}

static seL4_Bool use_signal(seL4_Word target)
{
    (void)target;
    count()->calls++;
    microkit_notify((microkit_channel)random_below(4));
    return seL4_True;
}

static seL4_Bool use_yield(seL4_Word target)
{
    (void)target;
    count()->calls++;
    seL4_Yield();
    return seL4_True;
}

/* Any capability but the secure monitor's, which could turn the machine off. */
static seL4_CPtr any_capability(void)
{
    switch (random_below(12)) {
    case 0:
        return time_of(one_of_ours());
    case 1:
        return CAP(SLOT_SPACE, random_below(SPACES));
    case 2:
        return BASE_OUTPUT_NOTIFICATION_CAP + random_below(4);
    case 3:
        return BASE_ENDPOINT_CAP + random_below(3);
    case 4:
        return LIMEN_BASE_KEY_CAP + random_below(PROGRAM_KEYS + KERNEL_KEYS);
    case 5:
        return LIMEN_BASE_SERVICE_CAP + random_below(DIGESTS + 2);
    case 6:
        return LIMEN_FPU_COUNTERS_CAP + random_below(2);
    case 7:
        return BASE_IRQ_CAP + INTERRUPT;
    case 8:
        return random_below(2) ? LIMEN_REPLY_CAP : LIMEN_INPUT_CAP;
    case 9:
        return random_below(2) ? LIMEN_PROBE_CAP : LIMEN_VSPACE_CAP;
    default:
        return thread_of(one_of_ours());
    }
}

/* Any method of the interface, and some that are not there; not what writes registers or budgets, whose arguments are
 * chosen elsewhere so that the system goes on. */
static seL4_Word any_method(void)
{
    static const seL4_Word firsts[] = { 0, LimenFpuReadCounters, LimenKeyEnable, LimenProbeStart, LimenServiceRun };
    seL4_Word first = firsts[random_below(5)];
    seL4_Word method = first + random_below(first ? 7 : ARMSMCCall);
    return method == TCBWriteRegisters || method == SchedControlConfigureFlags ? TCBResume : method;
}

/* Any method of anything, with arguments that mostly make no sense, by any way to send. */
static seL4_Bool use_anything(seL4_Word target)
{
    (void)target;
    seL4_Word badge, caps = random_below(4), words = random_below(9);
    seL4_CPtr object = any_capability();
    seL4_Word method = any_method();
    for (int i = 0; i < 3; i++) {
        seL4_SetCap(i, any_capability());
    }
    for (int i = 0; i < 8; i++) {
        seL4_SetMR(i, random_interesting());
    }
    seL4_MessageInfo_t message = seL4_MessageInfo_new(method, 0, caps, words);
    switch (random_below(8)) {
    case 0:
        count()->calls++;
        seL4_NBSend(object, message);
        return seL4_True;
    case 1:
        count()->calls++;
        microkit_notify(OTHER);
        seL4_NBSendRecv(object, message, LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
        return seL4_True;
    case 2:
        count()->calls++;
        seL4_Send(object, message);
        return seL4_True;
    default:
        return ask(object, method, caps, words);
    }
}

/* How a feature is used, and whether this board has it. */
struct way {
    seL4_Bool (*use)(seL4_Word target);
    int is_there;
};
#define WAY(name, is_there) { use_##name, is_there },
static const struct way ways[] = { FEATURES(WAY) };

/* Where it is not there, it was tried. */
static seL4_Bool use(seL4_Word feature, seL4_Word target)
{
    seL4_Bool granted = ways[feature].use(target);
    count()->granted[feature] += granted ? 1 : 0;
    return granted || !ways[feature].is_there;
}

/* The next pair that is missing; any pair if none is. */
static seL4_Word next_pair(void)
{
    seL4_Word pairs = FEATURES_COUNT * FEATURES_COUNT;
    const volatile seL4_Uint8 *seen = &count()->pairs[0][0];
    seL4_Word next = count()->at_random ? pairs : 0;
    seL4_Word pair = count()->next[self];
    for (; next < pairs; next++) {
        pair = (pair + 1) % pairs;
        if (!seen[pair]) {
            break;
        }
    }
    pair = next < pairs ? pair : random_below(pairs);
    count()->next[self] = pair;
    return pair;
}

/* A state in which the feature was not used, if there is one. */
static seL4_Word next_state(seL4_Word feature)
{
    seL4_Word first = random_below(STATES_COUNT);
    for (seL4_Word i = 0; i < STATES_COUNT; i++) {
        seL4_Word state = (first + i) % STATES_COUNT;
        if (!count()->states[feature][state]) {
            return state;
        }
    }
    return first;
}

/* Mostly the nearest: it has most, and the farthest does not run while an attacker does. */
static seL4_Word next_child(void)
{
    static const seL4_Word children[] = { NEAR, NEAR, NEAR, FAR, PAL };
    return children[random_below(5)];
}

static void attack(void)
{
    seL4_Word pair = next_pair(), first = pair / FEATURES_COUNT, second = pair % FEATURES_COUNT;
    seL4_Word child = next_child(), state = next_state(first);
    for (seL4_Word i = 0; i < 2; i++) {
        ((volatile seL4_Word *)turns)[i] = self;
    }
    repair(self);
    seL4_Bool reached = bring_into(child, state);
    if (reached) {
        count()->states[first][state] = 1;
    }
    if (use(first, random_below(4) ? child : one_of_ours())) {
        count()->pairs[first][second] = 1;
    }
    use(second, random_below(2) ? child : one_of_ours());
}

void init(void)
{
    self = microkit_name[0] == 'm' ? MALLORY : OSCAR;
    if (self == MALLORY) {
        level_start();
    }
    for (;;) {
        count()->attempts[self]++;
        attack();
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
