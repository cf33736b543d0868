/* What attackers use, the states of the children that they use it on, and the memory in which they count it. */
#ifndef TESTS_ADVERSARIES_FEATURES_H
#define TESTS_ADVERSARIES_FEATURES_H

#include <limen.h>

#include "instructions.h"

/* Each is a function use_NAME of attacker.c, and says whether its board has it. */
#define FEATURES(DO)                                                                                               \
    DO(read_registers, 1)                                                                                          \
    DO(write_registers, 1)                                                                                         \
    DO(suspend, 1)                                                                                                 \
    DO(resume, 1)                                                                                                  \
    DO(priority, 1)                                                                                                \
    DO(max_priority, 1)                                                                                            \
    DO(bound_notification, 1)                                                                                      \
    DO(thread_pointer, 1)                                                                                          \
    DO(fpu_permission, 1)                                                                                          \
    DO(scheduling_context, 1)                                                                                      \
    DO(consumed_time, 1)                                                                                           \
    DO(lent_time, 1)                                                                                               \
    DO(scheduling_control, 1)                                                                                      \
    DO(program_key, 1)                                                                                             \
    DO(kernel_key, 1)                                                                                              \
    DO(digest, 1)                                                                                                  \
    DO(reset, 1)                                                                                                   \
    DO(seal, 1)                                                                                                    \
    DO(interrupt_that_wipes, 1)                                                                                    \
    DO(fault_that_wipes, 1)                                                                                        \
    DO(probe, 1)                                                                                                   \
    DO(fpu_policy, 1)                                                                                              \
    DO(fpu_counters, 1)                                                                                            \
    DO(fpu_registers, 1)                                                                                           \
    DO(caches, HAS_CACHES)                                                                                         \
    DO(ports, HAS_PORTS)                                                                                           \
    DO(secure_monitor, HAS_SECURE_MONITOR)                                                                         \
    DO(call, 1)                                                                                                    \
    DO(send_and_receive, 1)                                                                                        \
    DO(answer, 1)                                                                                                  \
    DO(anything, 1)                                                                                                \
    DO(signal, 1)                                                                                                  \
    DO(yield, 1)

#define FEATURE_NUMBER(name, is_there) FEATURE_##name,
enum feature { FEATURES(FEATURE_NUMBER) FEATURES_COUNT };

/* The orders of a child, which are also its state when it is used. */
enum state {
    /* Waiting for a signal, or, as a server, for a message. */
    STATE_RECEIVING,
    /* Sending a message that no thread receives. */
    STATE_SENDING,
    /* Calling its fault handler. */
    STATE_CALLING,
    STATE_FAULTED,
    /* In the middle of a digest. */
    STATE_AT_WORK,
    /* Counting, and pre-empted. */
    STATE_PREEMPTED,
    /* The same with values in all registers. */
    STATE_COMPUTING,
    /* Counting, with a budget that is used up. */
    STATE_OUT_OF_TIME,
    STATE_STOPPED,
    /* Lending its time to a passive server that computes for ever. */
    STATE_LENDING,
    /* Calling a passive server that answers with a send before its receive, again and again. */
    STATE_ANSWERED,
    /* Calling one of the victims' servers, again and again. */
    STATE_SERVED,
    /* Switching static keys. */
    STATE_SWITCHING,
    /* Using the capabilities to itself, then waiting. */
    STATE_MEDDLING,
    STATES_COUNT,
    STATE_UNKNOWN,
};

/* The threads of the attackers, by the slots of their capabilities and by the place of their orders. */
enum thread { MALLORY, OSCAR, NEAR, FAR, PAL, THREADS };
#define ATTACKERS 2

/* Slots of the root tables of attackers and keeper, to which the number of a thread is added. */
#define SLOT_THREAD 1
#define SLOT_TIME 11
#define SLOT_SPACE 21
/* Address spaces: those of the threads, then those of two victims. */
#define SPACES (THREADS + 2)
#define SLOT_CONTROL 31
/* The keeper's own thread. */
#define SLOT_OWN_THREAD 32

#define CAP(slot, number) microkit_cspace_root_slot_to_cptr((slot) + (number))

/* Priority, budget and period, with which they start and start again. The description gives the server among the children
 * one priority more, because it has callers. */
#define PRIORITY 40ul
#define BUDGET_OF(thread) ((thread) < ATTACKERS ? 500ul : 300ul)
/* The least budget that there is. */
#define LEAST_BUDGET_US 20ul
/* No program may have longer slices, or occupy a server of others for longer. */
#define MAX_PERIOD_US 5000ul

/* Entry and initial stack pointer of every program. Both are among the first three registers everywhere. */
#define ENTRY 0x200000ul
#define STACK_TOP (LIMEN_IPC_BUFFER_ADDRESS - 0x1000)

/* The orders of children. They may overwrite these, and nothing else. */
struct orders {
    volatile seL4_Word order[THREADS];
    volatile seL4_Word reached[THREADS];
};

/* Shared by attackers, keeper and tester. */
struct record {
    /* Whether pairs are taken from the table, or at random. */
    volatile seL4_Word at_random;
    volatile seL4_Word attempts[ATTACKERS];
    /* The next pair of each attacker. */
    volatile seL4_Word next[ATTACKERS];
    /* System calls of the attackers that use features; answers that were no error. */
    volatile seL4_Word calls;
    volatile seL4_Word granted[FEATURES_COUNT];
    volatile seL4_Word restarts;
    /* Attackers that the tester has found stuck, a bit each. */
    volatile seL4_Word stuck;
    /* The second was used when the first had just been granted. */
    volatile seL4_Uint8 pairs[FEATURES_COUNT][FEATURES_COUNT];
    /* The feature was used when a child was in this state. */
    volatile seL4_Uint8 states[FEATURES_COUNT][STATES_COUNT];
};

/* Writes the program counter and the stack pointer of a thread, and lets it run. */
static inline seL4_Error start_over(enum thread thread)
{
    seL4_UserContext context = { .PROGRAM_COUNTER = ENTRY, .STACK_POINTER = STACK_TOP };
    return seL4_TCB_WriteRegisters(CAP(SLOT_THREAD, thread), seL4_True, 0, 3, &context);
}

#endif /* TESTS_ADVERSARIES_FEATURES_H */
