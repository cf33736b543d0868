/* Ends the lives of its children in many ways, and compares each life with the first. */

#include <limen.h>

#include "life.h"
#include "instructions.h"
#include "registers.h"
#include "test.h"
#include "work.h"

#define CHILD_CHANNEL 0
#define DEFERRED_CHANNEL 1
#define SLEEPER_CHANNEL 2
#define WORKER_CHANNEL 3
#define CHILD 3
#define SLEEPER 4
#define WORKER 5
#define LIVES 1000

/* Services. */
#define RESET_CHILD 2
#define RESET_SLEEPER 3
#define RESET_WORKER 4

enum kept { MEMORY_KEPT, MEMORY_RESET };

seL4_Word life;
seL4_Word work;

extern char _start[];

/* The registers with which the child started. */
static seL4_Word first_stack_pointer;

static struct life *child(void)
{
    return (struct life *)life;
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
    microkit_notify(CHILD_CHANNEL);
    seL4_Fault_t fault = receive_fault_of(CHILD);
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

/* As the manual shows it. */
static void restart(enum kept kept)
{
    seL4_Word count = child()->count;
    if (kept == MEMORY_RESET) {
        reset(RESET_CHILD, CHILD);
    }
    microkit_pd_restart(CHILD, (seL4_Word)_start);
    CHECK_EQUAL(wait_for_signals(), 1 << CHILD_CHANNEL);
    CHECK_EQUAL(child()->count, count + 1);
    CHECK_EQUAL(child()->stack_pointer, first_stack_pointer);
    CHECK_EQUAL(child()->flags, 0);
    CHECK_EQUAL(child()->copies, 8);
}

static void the_first_life_starts(void)
{
    wait_for_all(1 << CHILD_CHANNEL | 1 << WORKER_CHANNEL);
    first_stack_pointer = child()->stack_pointer;
    CHECK(first_stack_pointer > LIMEN_STACK_TOP - 0x200);
    CHECK_EQUAL(child()->flags, 0);
    CHECK_EQUAL(child()->control, FIRST_CONTROL);
    CHECK_EQUAL(child()->value, 0);
    CHECK_EQUAL(child()->message_word, 0);
    CHECK_EQUAL(child()->copies, 8);
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
    reset(RESET_CHILD, CHILD);
    CHECK_EQUAL(seL4_TCB_ReadRegisters(BASE_TCB_CAP + CHILD, seL4_False, 0, LIMEN_CONTEXT_WORDS, &registers),
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
    microkit_pd_stop(CHILD);
    CHECK_EQUAL(seL4_TCB_ReadRegisters(BASE_TCB_CAP + CHILD, seL4_False, 0, LIMEN_CONTEXT_WORDS, &registers),
                seL4_NoError);
    return registers.TLS_BASE;
}

static void a_restart_keeps_the_thread_pointer_and_a_reset_clears_it(void)
{
    microkit_pd_stop(CHILD);
    CHECK_EQUAL(seL4_TCB_SetTLSBase(BASE_TCB_CAP + CHILD, SPOILT_WORD), seL4_NoError);
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

/* The child sends what is deferred with its next receive, which is over when it answers. */
static seL4_Word signals_of_an_answer(void)
{
    seL4_Word signals = 0;
    microkit_notify(CHILD_CHANNEL);
    while (!(signals & 1 << CHILD_CHANNEL)) {
        signals |= wait_for_signals();
    }
    return signals;
}

static void a_deferred_signal_is_dropped(void)
{
    end_life(END_DEFERRED);
    restart(MEMORY_KEPT);
    CHECK_EQUAL(signals_of_an_answer(), 1 << CHILD_CHANNEL);
    end_life(END_DEFERRED);
    restart(MEMORY_RESET);
    CHECK_EQUAL(signals_of_an_answer(), 1 << CHILD_CHANNEL);
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

void init(void)
{
    RUN(the_first_life_starts);
    RUN(a_thousand_resets_start_with_the_first_stack_pointer);
    RUN(a_thousand_restarts_start_with_the_first_stack_pointer);
    RUN(a_fault_is_a_value);
    RUN(a_restart_clears_flags_and_aligns_the_stack);
    RUN(a_reset_clears_flags_and_aligns_the_stack);
    RUN(a_reset_clears_all_registers);
    RUN(a_restart_keeps_the_thread_pointer_and_a_reset_clears_it);
    RUN(a_restart_keeps_floating_point_registers);
    RUN(a_reset_clears_floating_point_registers);
    RUN(message_words_are_kept);
    RUN(a_deferred_signal_is_dropped);
    RUN(a_passive_child_is_restarted);
    RUN(cothreads_start_like_new_after_a_reset);
    RUN(cothreads_of_the_life_before_are_not_continued);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
