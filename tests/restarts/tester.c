/* Ends the lives of its children in many ways, and compares each life with the first. */

#include <limen.h>

#include "life.h"
#include "instructions.h"
#include "registers.h"
#include "test.h"
#include "work.h"

#define SLEEPER_CHANNEL 2
#define WORKER_CHANNEL 3
#define IDLER_CHANNEL 5
#define SLEEPER 4
#define WORKER 5
#define CLIENT 6
#define LIVES 1000

/* Services. */
#define RESET_SLEEPER 3
#define RESET_WORKER 4

/* Whether the children run on another processor. Then they do not wait until the tester has received a signal before they send
 * the next one, and two signals may arrive as one. */
#ifdef ELSEWHERE
#define IS_ELSEWHERE 1
#else
#define IS_ELSEWHERE 0
#endif

enum kept { MEMORY_KEPT, MEMORY_RESET };

seL4_Word life;
seL4_Word rust_life;
seL4_Word work;

extern char _start[];

/* A child, with its ids in this program. */
struct subject {
    const seL4_Word *life;
    microkit_channel channel;
    microkit_channel deferred;
    /* Has the client call it. */
    microkit_channel client;
    microkit_child id;
    seL4_Word reset;
    /* With which its first life started. */
    seL4_Word stack_pointer;
};

static struct subject in_c = { &life, .channel = 0, .deferred = 1, .client = 4, .id = 3, .reset = 2 };
static struct subject in_rust = { &rust_life, .channel = 6, .deferred = 7, .client = 8, .id = 7, .reset = 5 };
static struct subject *subject = &in_c;

static struct life *child(void)
{
    return (struct life *)*subject->life;
}

/* Receives a fault, which stays without a reply. */
static seL4_Fault_t receive_fault_of(microkit_child which)
{
    seL4_Word badge;
    seL4_Fault_t fault = seL4_getFault(seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP));
    CHECK_EQUAL(badge, 1ul << 62 | which);
    return fault;
}

static seL4_Fault_t end_life(seL4_Word end)
{
    child()->end = end;
    microkit_notify(subject->channel);
    seL4_Fault_t fault = receive_fault_of(subject->id);
    child()->end = END_NOT;
    return fault;
}

static void reset(seL4_Word service, microkit_child which)
{
    microkit_pd_stop(which);
    CHECK_EQUAL(limen_reset(service), seL4_NoError);
}

static void wait_for_all(seL4_Word channels)
{
    seL4_Word signals = 0;
    while (signals != channels) {
        signals |= wait_for_signals();
    }
}

static void check_what_main_finds(void)
{
    CHECK_EQUAL(child()->flags, 0);
    CHECK_EQUAL(child()->copies, 8);
    CHECK_EQUAL(child()->frame_pointer, 0);
    CHECK_EQUAL(child()->caller, 0);
    CHECK_EQUAL(child()->conditions, 0);
}

/* As the manual shows it. */
static void restart(enum kept kept)
{
    seL4_Word count = child()->count;
    if (kept == MEMORY_RESET) {
        reset(subject->reset, subject->id);
    }
    microkit_pd_restart(subject->id, (seL4_Word)_start);
    CHECK_EQUAL(wait_for_signals(), 1 << subject->channel);
    CHECK_EQUAL(child()->count, count + 1);
    CHECK_EQUAL(child()->stack_pointer, subject->stack_pointer);
    check_what_main_finds();
}

static void the_first_life_starts(void)
{
    subject->stack_pointer = child()->stack_pointer;
    CHECK(subject->stack_pointer > LIMEN_STACK_TOP - 0x200);
    check_what_main_finds();
}

static void the_first_life_has_no_values_in_registers(void)
{
    CHECK_EQUAL(child()->control, FIRST_CONTROL);
    CHECK_EQUAL(child()->value, 0);
    CHECK_EQUAL(child()->message_word, 0);
}

static void a_fault_is_a_value(void)
{
    seL4_Fault_t fault = end_life(END_DEEP);
    CHECK_EQUAL(seL4_Fault_get_seL4_FaultType(fault), seL4_Fault_VMFault);
    CHECK_EQUAL(seL4_Fault_VMFault_get_Addr(fault), 0);
    CHECK_EQUAL(seL4_Fault_VMFault_get_PrefetchFault(fault), 0);
    CHECK(seL4_Fault_VMFault_get_IP(fault) > (seL4_Word)_start);
    restart(MEMORY_RESET);
    fault = end_life(END_SPOILT);
    CHECK_EQUAL(seL4_Fault_get_seL4_FaultType(fault), seL4_Fault_UserException);
    restart(MEMORY_RESET);
}

static void live_often(enum kept kept)
{
    for (int i = 0; i < LIVES; i++) {
        end_life(END_DEEP);
        restart(kept);
    }
}

static void a_thousand_resets_start_with_the_first_stack_pointer(void)
{
    live_often(MEMORY_RESET);
}

static void a_thousand_restarts_start_with_the_first_stack_pointer(void)
{
    live_often(MEMORY_KEPT);
}

static void a_restart_clears_flags_and_aligns_the_stack(void)
{
    end_life(END_SPOILT);
    restart(MEMORY_KEPT);
}

static void a_reset_clears_flags_and_aligns_the_stack(void)
{
    end_life(END_SPOILT);
    restart(MEMORY_RESET);
}

static void a_reset_clears_all_registers(void)
{
    seL4_UserContext registers;
    const seL4_Word *words = (const seL4_Word *)&registers;
    end_life(END_SPOILT);
    reset(subject->reset, subject->id);
    CHECK_EQUAL(seL4_TCB_ReadRegisters(BASE_TCB_CAP + subject->id, seL4_False, 0, LIMEN_CONTEXT_WORDS, &registers),
                seL4_NoError);
    CHECK_EQUAL(registers.PROGRAM_COUNTER, (seL4_Word)_start);
    CHECK_EQUAL(registers.STACK_POINTER, LIMEN_STACK_TOP);
    registers.PROGRAM_COUNTER = registers.STACK_POINTER = 0;
    CLEAR_FIXED_FLAGS(registers);
    for (seL4_Word i = 0; i < LIMEN_CONTEXT_WORDS; i++) {
        CHECK_EQUAL(words[i], 0);
    }
    restart(MEMORY_RESET);
}

static seL4_Word thread_pointer(void)
{
    seL4_UserContext registers;
    microkit_pd_stop(subject->id);
    CHECK_EQUAL(seL4_TCB_ReadRegisters(BASE_TCB_CAP + subject->id, seL4_False, 0, LIMEN_CONTEXT_WORDS, &registers),
                seL4_NoError);
    return registers.TLS_BASE;
}

static void a_restart_keeps_the_thread_pointer_and_a_reset_clears_it(void)
{
    microkit_pd_stop(subject->id);
    CHECK_EQUAL(seL4_TCB_SetTLSBase(BASE_TCB_CAP + subject->id, SPOILT_WORD), seL4_NoError);
    restart(MEMORY_KEPT);
    CHECK_EQUAL(thread_pointer(), SPOILT_WORD);
    restart(MEMORY_RESET);
    CHECK_EQUAL(thread_pointer(), 0);
    restart(MEMORY_RESET);
}

static void a_restart_keeps_floating_point_registers(void)
{
    end_life(END_FLOATING);
    restart(MEMORY_KEPT);
    CHECK_EQUAL(child()->control, OTHER_CONTROL);
    CHECK_EQUAL(child()->value, SPOILT_WORD);
}

static void a_reset_clears_floating_point_registers(void)
{
    end_life(END_FLOATING);
    restart(MEMORY_RESET);
    CHECK_EQUAL(child()->control, FIRST_CONTROL);
    CHECK_EQUAL(child()->value, 0);
}

static void message_words_are_kept(void)
{
    end_life(END_FLOATING);
    restart(MEMORY_KEPT);
    CHECK_EQUAL(child()->message_word, SPOILT_WORD);
    restart(MEMORY_RESET);
    CHECK_EQUAL(child()->message_word, SPOILT_WORD);
}

/* The child sends its deferred signal with its next receive, which has ended when it answers. */
static seL4_Word signals_of_an_answer(void)
{
    seL4_Word signals = 0;
    microkit_notify(subject->channel);
    while (!(signals & 1 << subject->channel)) {
        signals |= wait_for_signals();
    }
    return signals;
}

static void a_deferred_signal_is_dropped(void)
{
    end_life(END_DEFERRED);
    restart(MEMORY_KEPT);
    CHECK_EQUAL(signals_of_an_answer(), 1 << subject->channel);
    end_life(END_DEFERRED);
    restart(MEMORY_RESET);
    CHECK_EQUAL(signals_of_an_answer(), 1 << subject->channel);
}

/* Every signal that has not been received is received once, by whichever life comes next. */
static void signals_that_arrived_are_received(enum kept kept)
{
    seL4_Word received = child()->signals;
    end_life(END_DEEP);
    microkit_notify(subject->deferred);
    microkit_notify(subject->deferred);
    restart(kept);
    CHECK_EQUAL(wait_for_signals(), 1 << subject->deferred);
    CHECK_EQUAL(signals_of_an_answer(), 1 << subject->channel);
    CHECK_EQUAL(child()->signals, received + 1);
}

static void signals_that_arrived_are_received_after_init(void)
{
    signals_that_arrived_are_received(MEMORY_KEPT);
    signals_that_arrived_are_received(MEMORY_RESET);
}

static void wait_for_interrupt(seL4_Word handled)
{
    CHECK_EQUAL(wait_for_signals(), 1 << subject->channel);
    CHECK_EQUAL(child()->interrupts, handled);
}

/* An interrupt that arrived is received like a signal, and others follow. */
static void interrupts_continue(seL4_Word end, enum kept kept)
{
    seL4_Word handled = child()->interrupts;
    end_life(end);
    restart(kept);
    if (end == END_INTERRUPTED) {
        wait_for_interrupt(++handled);
    }
    child()->end = END_NOT_INTERRUPTED;
    microkit_notify(subject->channel);
    wait_for_interrupt(handled + 1);
    child()->end = END_NOT;
}

static void interrupts_that_arrived_are_received_after_init(void)
{
    interrupts_continue(END_INTERRUPTED, MEMORY_KEPT);
    interrupts_continue(END_INTERRUPTED, MEMORY_RESET);
}

static void interrupts_that_were_not_acknowledged_are_after_init(void)
{
    interrupts_continue(END_HANDLING, MEMORY_KEPT);
    interrupts_continue(END_HANDLING, MEMORY_RESET);
}

static void let_others_run(void)
{
    microkit_notify(IDLER_CHANNEL);
    CHECK_EQUAL(wait_for_signals(), 1 << IDLER_CHANNEL);
}

/* The client counts the replies of both children. */
static struct life *client(void)
{
    return (struct life *)life;
}

static void a_call_that_waits_is_served(enum kept kept)
{
    seL4_Word replies = client()->replies;
    end_life(END_DEEP);
    microkit_notify(subject->client);
    let_others_run();
    CHECK_EQUAL(client()->replies, replies);
    restart(kept);
    let_others_run();
    CHECK_EQUAL(client()->replies, replies + 1);
}

static void calls_that_wait_are_served_after_init(void)
{
    a_call_that_waits_is_served(MEMORY_KEPT);
    a_call_that_waits_is_served(MEMORY_RESET);
}

/* The client repeats its call when it is resumed. */
static void a_call_is_lost(enum kept kept)
{
    seL4_Word replies = client()->replies;
    child()->end = END_SERVING;
    microkit_notify(subject->client);
    receive_fault_of(subject->id);
    child()->end = END_NOT;
    restart(kept);
    let_others_run();
    CHECK_EQUAL(client()->replies, replies);
    microkit_pd_resume(CLIENT);
    let_others_run();
    CHECK_EQUAL(client()->replies, replies + 1);
}

static void the_call_that_was_served_is_lost(void)
{
    a_call_is_lost(MEMORY_KEPT);
    a_call_is_lost(MEMORY_RESET);
}

static seL4_Word call_sleeper(void)
{
    microkit_ppcall(SLEEPER_CHANNEL, microkit_msginfo_new(0, 0));
    return microkit_mr_get(0);
}

static void a_passive_child_is_restarted(void)
{
    CHECK_EQUAL(call_sleeper(), 1);
    CHECK_EQUAL(call_sleeper(), 2);
    for (int i = 0; i < 3; i++) {
        reset(RESET_SLEEPER, SLEEPER);
        microkit_pd_restart(SLEEPER, (seL4_Word)_start);
        CHECK_EQUAL(call_sleeper(), 1);
    }
    microkit_pd_stop(SLEEPER);
    microkit_pd_restart(SLEEPER, (seL4_Word)_start);
    CHECK_EQUAL(call_sleeper(), 2);
}

static struct work *worker(void)
{
    return (struct work *)work;
}

static void end_work(void)
{
    microkit_notify(WORKER_CHANNEL);
    receive_fault_of(WORKER);
}

static void restart_worker(void)
{
    seL4_Word lives = worker()->lives;
    microkit_pd_restart(WORKER, (seL4_Word)_start);
    CHECK_EQUAL(wait_for_signals(), 1 << WORKER_CHANNEL);
    CHECK_EQUAL(worker()->lives, lives + 1);
}

static void check_first_cothread(seL4_Word runs)
{
    CHECK_EQUAL(worker()->is_refused, 0);
    CHECK_EQUAL(worker()->is_spawned, 1);
    CHECK_EQUAL(worker()->handle, 1);
    CHECK_EQUAL(worker()->runs, runs);
}

static void cothreads_start_like_new_after_a_reset(void)
{
    check_first_cothread(1);
    seL4_Word used = worker()->stack_used;
    CHECK(used > 0);
    for (seL4_Word i = 2; i < 10; i++) {
        end_work();
        reset(RESET_WORKER, WORKER);
        restart_worker();
        check_first_cothread(i);
        CHECK_EQUAL(worker()->stack_used, used);
    }
}

static void cothreads_of_the_life_before_are_not_continued(void)
{
    seL4_Word runs = worker()->runs;
    end_work();
    for (int i = 0; i < 3; i++) {
        restart_worker();
        CHECK_EQUAL(worker()->is_refused, 1);
        CHECK_EQUAL(worker()->is_spawned, 0);
        CHECK_EQUAL(worker()->runs, runs);
    }
    reset(RESET_WORKER, WORKER);
    restart_worker();
    check_first_cothread(runs + 1);
}

/* What the start code does, in either language. */
static void start_code(const char *language, struct subject *which)
{
    subject = which;
    RUN_FOR(language, the_first_life_starts);
    RUN_FOR(language, a_thousand_resets_start_with_the_first_stack_pointer);
    RUN_FOR(language, a_thousand_restarts_start_with_the_first_stack_pointer);
    RUN_FOR(language, a_restart_clears_flags_and_aligns_the_stack);
    RUN_FOR(language, a_reset_clears_flags_and_aligns_the_stack);
    RUN_FOR(language, a_deferred_signal_is_dropped);
    if (!IS_ELSEWHERE) {
        RUN_FOR(language, signals_that_arrived_are_received_after_init);
    }
    RUN_FOR(language, calls_that_wait_are_served_after_init);
    RUN_FOR(language, the_call_that_was_served_is_lost);
}

void init(void)
{
    wait_for_all(1 << in_c.channel | 1 << in_rust.channel | 1 << WORKER_CHANNEL);
    RUN(the_first_life_has_no_values_in_registers);
    start_code("rust", &in_rust);
    start_code("c", &in_c);
    RUN(a_fault_is_a_value);
    RUN(a_reset_clears_all_registers);
    RUN(a_restart_keeps_the_thread_pointer_and_a_reset_clears_it);
    RUN(a_restart_keeps_floating_point_registers);
    RUN(a_reset_clears_floating_point_registers);
    RUN(message_words_are_kept);
    if (!IS_ELSEWHERE) {
        RUN(interrupts_that_arrived_are_received_after_init);
    }
    RUN(interrupts_that_were_not_acknowledged_are_after_init);
    RUN(a_passive_child_is_restarted);
    RUN(cothreads_start_like_new_after_a_reset);
    RUN(cothreads_of_the_life_before_are_not_continued);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
