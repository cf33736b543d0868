/* Has the kernel do everything that programs can ask of it, each with what takes longest.
 *
 * It probes itself while it does, so that every way in and out of the kernel is the longer one. Programs above it and
 * it itself have shares whose lists of refills are full. */

#include <limen/static_key.h>

#include "bad_address.h"
#include "figures.h"
#include "moment.h"
#include "user.h"

#define ECHO 0
#define TICKER 1
#define LANDER 2
#define CALLER 4

/* Children. */
#define VICTIM 0
#define BREAKER 1
#define WIPER 2

/* Root slots. */
#define OWN_THREAD 1
#define FIRST_CALLER 2
#define SERVER 3
#define ABOVE 4
#define ABOVE_TIME 5
#define CONTROL 6

/* Only one caller that waits for the server has a lower priority. */
#define ALMOST_LAST 23

#define KEYS 31
#define KEY_64_SITES 0
#define KEY_128_SITES 31

/* A share of the program above, in microseconds. */
#define BUDGET 1000
#define PERIOD 10000

seL4_Word shared_page, buffer;
extern char _start[];

LIMEN_STATIC_KEY_FALSE(far);
static seL4_Word taken;

#define EIGHT(what) what what what what what what what what
#define BRANCH                                                                                                     \
    if (limen_static_branch_unlikely(far)) {                                                                       \
        taken++;                                                                                                   \
    }

static __attribute__((noinline)) void pass(void)
{
    EIGHT(EIGHT(BRANCH BRANCH))
}

static struct arrival {
    seL4_Word badge;
    seL4_Word label;
} arrival;

static void receive(void)
{
    limen_received_t received = limen_trap_receive(seL4_SysRecv, LIMEN_INPUT_CAP, LIMEN_REPLY_CAP);
    landed();
    arrival.badge = received.badge;
    arrival.label = seL4_MessageInfo_get_label(received.info);
}

static void await(microkit_channel channel)
{
    do {
        receive();
    } while (arrival.badge != 1ul << channel);
}

/* Everybody below does what there is to do. */
static void drain(void)
{
    shared()->is_asked = 1;
    await(LANDER);
}

/* Lets a program run that never waits. */
static void sleep(void)
{
    microkit_notify(TICKER);
    await(TICKER);
}

/* The program above runs and stops again. */
static void run_above(enum command command)
{
    shared()->command = command;
    bench_check(seL4_TCB_Resume(root(ABOVE)) == seL4_NoError, "the program above was not resumed");
}

static void pause(seL4_Word instructions)
{
    for (seL4_Word start = limen_counter(); limen_counter() - start < instructions;) {
    }
}

/* Every share remembers as many pieces as it can. */
static void fill_lists(void)
{
    for (int i = 0; i < 40; i++) {
        run_above(DO_NOTHING);
        pause(2000);
    }
}

/* An invocation with the longest message, whose words are these and what is in the buffer. */
static seL4_Word invoke(seL4_CPtr cap, seL4_Word label, seL4_CPtr argument, seL4_Word mr0, seL4_Word mr1, seL4_Word mr2,
                        seL4_Word mr3)
{
    limen_words_t words = { mr0, mr1, mr2, mr3 };
    seL4_MessageInfo_t info = longest(label, argument);
    struct shared *page = shared();
    seL4_Word before = limen_counter();
    page->before = before;
    limen_received_t answer = limen_trap_call(cap, info, words);
    seL4_Word after = limen_counter();
    bench_check(seL4_MessageInfo_get_label(answer.info) == seL4_NoError, "a method was refused");
    return after - before;
}

#define SIMPLE(figure, cap, label, ...)                                                                            \
    (shared()->figures[figure] = invoke(cap, label, root(OWN_THREAD), __VA_ARGS__))

/* The same of one after which the program above runs. */
static void invoke_above(enum figure figure, seL4_CPtr cap, seL4_Word label, seL4_CPtr argument)
{
    shared()->command = DO_NOTHING;
    invoke(cap, label, argument, 0, 0, 0, 0);
    shared()->figures[figure] = shared()->gap;
}

static void start(microkit_child child, enum command command)
{
    shared()->command = command;
    microkit_pd_restart(child, (seL4_Word)_start);
}

/* A thread that holds all keys, probes itself, and for which the kernel makes a digest. */
static seL4_Word stop_victim(seL4_Word label, seL4_Word mr0, seL4_Word mr1)
{
    start(VICTIM, DO_NOTHING);
    sleep();
    seL4_Word length = invoke(BASE_TCB_CAP + VICTIM, label, root(OWN_THREAD), mr0, mr1, (seL4_Word)_start, 0);
    microkit_pd_stop(VICTIM);
    return length;
}

static void methods_of_a_busy_thread(void)
{
    struct shared *page = shared();
    for (seL4_Word key = 1; key < KEYS; key++) {
        bench_check(limen_key_inc(key) == seL4_NoError, "a key was not held");
    }
    page->figures[figure_suspend] = stop_victim(TCBSuspend, 0, 0);
    page->figures[figure_read_registers] = stop_victim(TCBReadRegisters, 1, LIMEN_CONTEXT_WORDS);
    page->figures[figure_write_registers] = stop_victim(TCBWriteRegisters, 1, LIMEN_CONTEXT_WORDS);
}

static void methods_of_threads(void)
{
    SIMPLE(figure_set_mc_priority, root(ABOVE), TCBSetMCPriority, 200, 0, 0, 0);
    SIMPLE(figure_set_tls_base, root(SERVER), TCBSetTLSBase, 0x1000, 0, 0, 0);
    SIMPLE(figure_set_flags, root(OWN_THREAD), TCBSetFlags, 0, seL4_TCBFlag_fpuDisabled, 0, 0);
    SIMPLE(figure_set_flags, root(OWN_THREAD), TCBSetFlags, seL4_TCBFlag_fpuDisabled, 0, 0, 0);
    SIMPLE(figure_set_priority, root(FIRST_CALLER), TCBSetPriority, ALMOST_LAST, 0, 0, 0);
    invoke_above(figure_resume, root(ABOVE), TCBResume, root(OWN_THREAD));
}

static void methods_of_time(void)
{
    struct shared *page = shared();
    SIMPLE(figure_consumed, root(ABOVE_TIME), SchedContextConsumed, 0, 0, 0, 0);
    page->figures[figure_unbind_object] =
        invoke(root(ABOVE_TIME), SchedContextUnbindObject, root(ABOVE), 0, 0, 0, 0);
    bench_check(seL4_TCB_Resume(root(ABOVE)) == seL4_NoError, "the program above was not resumed");
    invoke_above(figure_bind, root(ABOVE_TIME), SchedContextBind, root(ABOVE));
    run_above(DO_BIND);
    /* It has given up its time, and the next part of it comes later. */
    seL4_Word stops = page->stops;
    run_above(DO_YIELD);
    seL4_Word now = limen_counter();
    page->figures[figure_yield] = now - page->before;
    page->figures[figure_configure] =
        invoke(root(CONTROL), SchedControlConfigureFlags, root(ABOVE_TIME), BUDGET, PERIOD, 0, 0);
    while (page->stops == stops) {
    }
    fill_lists();
}

static void methods_of_keys(void)
{
    seL4_CPtr key = LIMEN_BASE_KEY_CAP + KEY_64_SITES, far_key = LIMEN_BASE_KEY_CAP + KEY_128_SITES;
    SIMPLE(figure_key_enable, key, LimenKeyEnable, 0, 0, 0, 0);
    SIMPLE(figure_key_disable, key, LimenKeyDisable, 0, 0, 0, 0);
    SIMPLE(figure_key_inc, key, LimenKeyInc, 0, 0, 0, 0);
    SIMPLE(figure_key_dec, key, LimenKeyDec, 0, 0, 0, 0);
    SIMPLE(figure_key_read, key, LimenKeyRead, 0, 0, 0, 0);
    /* The second half follows in an entry of its own. */
    seL4_Word both = invoke(far_key, LimenKeyEnable, root(OWN_THREAD), 0, 0, 0, 0);
    shared()->figures[figure_key_follow] = both - shared()->figures[figure_key_enable];
    pass();
    bench_check(taken == 128, "branches do not follow their key");
}

static void methods_of_the_unit(void)
{
    SIMPLE(figure_fpu_counters, LIMEN_FPU_COUNTERS_CAP, LimenFpuReadCounters, 0, 0, 0, 0);
    SIMPLE(figure_fpu_policy, LIMEN_FPU_POLICY_CAP, LimenFpuSetPolicy, LIMEN_FPU_FAULT_LAZY, 0, 0, 0);
    run_above(DO_NOTHING);
    seL4_Word before = limen_counter();
    use_fpu();
    seL4_Word after = limen_counter();
    shared()->figures[figure_fpu_use] = after - before;
    SIMPLE(figure_fpu_policy, LIMEN_FPU_POLICY_CAP, LimenFpuSetPolicy, LIMEN_FPU_EAGER, 0, 0, 0);
}

#if defined(CONFIG_ARCH_AARCH64)
static void methods_of_the_architecture(void)
{
    seL4_Word end = buffer + 2048;
    SIMPLE(figure_clean, LIMEN_VSPACE_CAP, ARMVSpaceClean_Data, buffer, end, 0, 0);
    SIMPLE(figure_invalidate, LIMEN_VSPACE_CAP, ARMVSpaceInvalidate_Data, buffer, end, 0, 0);
    SIMPLE(figure_clean_invalidate, LIMEN_VSPACE_CAP, ARMVSpaceCleanInvalidate_Data, buffer, end, 0, 0);
    SIMPLE(figure_unify, LIMEN_VSPACE_CAP, ARMVSpaceUnify_Instruction, buffer, end, 0, 0);
    SIMPLE(figure_smc, ARM_SMC_CAP, ARMSMCCall, PSCI_VERSION, 0, 0, 0);
}
#elif defined(CONFIG_ARCH_X86)
static void methods_of_the_architecture(void)
{
    SIMPLE(figure_in_8, BASE_IOPORT_CAP, X86IOPortIn8, FREE_PORT, 0, 0, 0);
    SIMPLE(figure_in_16, BASE_IOPORT_CAP, X86IOPortIn16, FREE_PORT, 0, 0, 0);
    SIMPLE(figure_in_32, BASE_IOPORT_CAP, X86IOPortIn32, FREE_PORT, 0, 0, 0);
    SIMPLE(figure_out_8, BASE_IOPORT_CAP, X86IOPortOut8, FREE_PORT, 0, 0, 0);
    SIMPLE(figure_out_16, BASE_IOPORT_CAP, X86IOPortOut16, FREE_PORT, 0, 0, 0);
    SIMPLE(figure_out_32, BASE_IOPORT_CAP, X86IOPortOut32, FREE_PORT, 0, 0, 0);
}
#else
static void methods_of_the_architecture(void)
{
}
#endif

/* The program that is sent to is above. */
static void send(enum figure figure, seL4_Syscall_ID number, seL4_CPtr to)
{
    limen_words_t words = { SENT, 2, 3, 4 };
    seL4_MessageInfo_t info = longest(0, root(OWN_THREAD));
    shared()->before = limen_counter();
    limen_trap_send(number, to, info, words);
    shared()->figures[figure] = shared()->gap;
}

static void system_calls(void)
{
    struct shared *page = shared();
    limen_words_t words = { 1, 2, 3, 4 };
    seL4_MessageInfo_t info = longest(0, root(OWN_THREAD));
    page->before = limen_counter();
    limen_trap_call(BASE_ENDPOINT_CAP + ECHO, info, words);
    seL4_Word now = limen_counter();
    page->figures[figure_call] = page->gap;
    page->figures[figure_reply_recv] = now - page->before;
    page->before = 0;
    send(figure_send, seL4_SysSend, BASE_ENDPOINT_CAP + ECHO);
    send(figure_nb_send, seL4_SysNBSend, BASE_ENDPOINT_CAP + ECHO);
    send(figure_send_signal, seL4_SysSend, BASE_OUTPUT_NOTIFICATION_CAP + ECHO);
    microkit_notify(CALLER);
    page->gap = 0;
    drain();
    page->figures[figure_call_queue] = page->gap;
}

/* The server carries out a system call each time. */
static void system_calls_of_the_server(void)
{
    for (int i = 0; i < SERVER_STEPS; i++) {
        bench_check(seL4_TCB_Resume(root(SERVER)) == seL4_NoError, "the server was not resumed");
        drain();
    }
}

static void break_child(enum figure figure, microkit_child child, enum command command)
{
    start(child, command);
    do {
        receive();
    } while (!(arrival.badge & LIMEN_BADGE_CHILD_FAULT));
    shared()->figures[figure] = shared()->gap;
}

static void faults(void)
{
    break_child(figure_vm_fault, BREAKER, DO_VM_FAULT);
    break_child(figure_user_exception, BREAKER, DO_USER_EXCEPTION);
    break_child(figure_cap_fault, BREAKER, DO_CAP_FAULT);
    break_child(figure_unknown_syscall, BREAKER, DO_UNKNOWN_SYSCALL);
    break_child(figure_put_char, BREAKER, DO_PUT_CHAR);
    break_child(figure_timeout, BREAKER, DO_SPIN);
    break_child(figure_vm_fault_wipe, WIPER, DO_VM_FAULT);
}

/* The driver records the time between the last read of this loop and its own. */
static void interrupt(void)
{
    struct shared *page = shared();
    moment_set(limen_counter() + 5000, page->device);
    while (!page->figures[figure_line_wipe]) {
        page->before = limen_counter();
    }
}

static const char *const rows[FIGURES] = {
#define FIGURE_ROW(id, row) [figure_##id] = "interrupts_off " row,
    EVERYWHERE_FIGURES(FIGURE_ROW) ARCHITECTURE_FIGURES(FIGURE_ROW)
};

void init(void)
{
    struct shared *page = shared();
    for (microkit_child child = VICTIM; child <= WIPER; child++) {
        microkit_pd_stop(child);
    }
    drain();
    methods_of_a_busy_thread();
    SIMPLE(figure_fpu_policy, LIMEN_FPU_POLICY_CAP, LimenFpuSetPolicy, LIMEN_FPU_EAGER, 0, 0, 0);
    fill_lists();
    SIMPLE(figure_probe_start, LIMEN_PROBE_CAP, LimenProbeStart, 0, 0, 0, 0);
    SIMPLE(figure_probe_arm, LIMEN_PROBE_CAP, LimenProbeArm, limen_probe_breakpoint, 0, 8, LIMEN_PROBE_EXIT);
    SIMPLE(figure_probe_read, LIMEN_PROBE_CAP, LimenProbeRead, 0, 0, 0, 0);
    system_calls();
    methods_of_threads();
    methods_of_time();
    methods_of_keys();
    methods_of_the_unit();
    methods_of_the_architecture();
    system_calls_of_the_server();
    faults();
    interrupt();
    SIMPLE(figure_probe_stop, LIMEN_PROBE_CAP, LimenProbeStop, 0, 0, 0, 0);
    for (int figure = 0; figure < FIGURES; figure++) {
        bench_check(page->figures[figure] != 0, rows[figure]);
        samples_print_one(rows[figure], page->figures[figure]);
    }
    bench_done();
}

void notified(microkit_channel ch)
{
    (void)ch;
}

