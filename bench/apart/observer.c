/* Uses the kernel for its own domain on processor 0, while the other domain, on processors 1 and 2, waits, computes, or uses
 * the kernel as much as it can.
 *
 * It wakes once in a turn of the schedule, in the middle of a slot, does each operation several times, and sleeps until the
 * next turn. It stores to a word of the marks before and after each operation. The harness counts what the kernel executes on
 * this processor between the two stores, and fails unless that is the same in all phases:
 *
 * apart_call: a call of a passive server; apart_notify: a notification that a partner of higher priority answers; apart_fault:
 * a fault of a child and the reply before it; apart_control: a restart of this child, and its first fault; apart_error: a
 * method without a capability; apart_turn: from the end of the last operation in a turn to the first of the next one: the
 * wait for the clock, switches to a program that spins, the end of the slot, idle time of the processor, and the next slot.
 *
 * The channel to a guest is used between the phases only. */

#include "apart.h"
#include "instructions.h"
#include "samples.h"

#define SERVER 0
#define PARTNER 1
#define CLOCK 2
#define GUEST 3
#define CHILD 0
/* An id without a child. */
#define NO_CHILD 9

#define WARM_TURNS 2
#define TURNS 24
/* More than the budget of the clock, in an emulator that counts an instruction as a nanosecond. */
#define INSTRUCTIONS_TO_THE_TIMER 200000
#define REPEATS 4
/* The first word of the marks that means nothing. */
#define UNUSED 100

enum kind { CALL, NOTIFY, FAULT, CONTROL, ERROR, TURN, KINDS };

seL4_Word marks;
seL4_Word orders;
seL4_Word work;

/* Added to the number of a mark: zero when it counts. */
static seL4_Word skipped = UNUSED;

static void mark(enum kind kind)
{
    *((volatile seL4_Word *)marks + skipped + kind) = 1;
}

static void call(void)
{
    microkit_msginfo answer = microkit_ppcall(SERVER, microkit_msginfo_new(1, 0));
    bench_check(microkit_msginfo_get_label(answer) == 2, "a call brought back a wrong answer");
}

static void receive(microkit_channel ch)
{
    seL4_Word channels;
    seL4_Wait(LIMEN_INPUT_CAP, &channels);
    bench_check(channels == 1ul << ch, "another program woke the observer");
}

static void notify(void)
{
    microkit_notify(PARTNER);
    receive(PARTNER);
}

static void receive_fault(void)
{
    seL4_Word badge;
    seL4_MessageInfo_t info = seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
    bench_check(badge & LIMEN_BADGE_CHILD_FAULT && seL4_MessageInfo_get_label(info) == seL4_Fault_VMFault,
                "another program than the child sent a message");
}

static void reply_to_fault(void)
{
    seL4_Send(LIMEN_REPLY_CAP, seL4_MessageInfo_new(0, 0, 0, 0));
    receive_fault();
}

static void restart(void)
{
    microkit_pd_restart(CHILD, ENTRY);
    receive_fault();
}

static void error(void)
{
    bench_check(seL4_TCB_Suspend(BASE_TCB_CAP + NO_CHILD) != seL4_NoError, "a method without a capability succeeded");
}

static void (*const operations[])(void) = { call, notify, reply_to_fault, restart, error };

/* Computes until the timer interrupt has come that the kernel asked for when the clock began to use its budget. */
static void wait_for_timer(void)
{
    for (seL4_Word round = 0; round < INSTRUCTIONS_TO_THE_TIMER / 4; round++) {
        __asm__ volatile ("" : "+r"(round));
    }
}

static void take_turn(void)
{
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        for (enum kind kind = CALL; kind <= ERROR; kind++) {
            mark(kind);
            operations[kind]();
            mark(kind);
        }
    }
    mark(TURN);
    receive(CLOCK);
    wait_for_timer();
    mark(TURN);
}

#define PHASE_ROWS(other) { \
    "apart_call other=" other ROW_FPU " marks=0", \
    "apart_notify other=" other ROW_FPU " marks=1", \
    "apart_fault other=" other ROW_FPU " marks=2", \
    "apart_control other=" other ROW_FPU " marks=3", \
    "apart_error other=" other ROW_FPU " marks=4", \
    "apart_turn other=" other ROW_FPU " marks=5,timed", \
}

static const char *const rows[PHASES][KINDS] = { PHASE_ROWS("idle"), PHASE_ROWS("computing"), PHASE_ROWS("hostile") };

/* How many guests did a round since then. */
static int guests_worked(const seL4_Word *before)
{
    int worked = 0;
    for (int guest = 0; guest < GUESTS; guest++) {
        worked += load(&((struct work *)work)->rounds[guest]) > before[guest];
    }
    return worked;
}

static const char *const failures[PHASES] = {
    "a guest worked while it was to wait", "a guest did not compute", "a guest that was to be hostile was stuck",
};

static void observe(enum phase phase)
{
    seL4_Word before[GUESTS];
    skipped = UNUSED;
    for (int turn = 0; turn < WARM_TURNS; turn++) {
        take_turn();
    }
    for (int guest = 0; guest < GUESTS; guest++) {
        before[guest] = load(&((struct work *)work)->rounds[guest]);
    }
    skipped = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        take_turn();
    }
    skipped = UNUSED;
    bench_check(guests_worked(before) == (phase == IDLE ? 0 : GUESTS), failures[phase]);
}

void init(void)
{
}

/* The clock has begun. */
void notified(microkit_channel ch)
{
    (void)ch;
    restart();
    for (enum phase phase = IDLE; phase < PHASES; phase++) {
        store(&((struct orders *)orders)->phase, phase);
        if (phase == COMPUTING) {
            microkit_notify(GUEST);
        }
        observe(phase);
    }
    for (enum phase phase = IDLE; phase < PHASES; phase++) {
        for (enum kind kind = CALL; kind < KINDS; kind++) {
            samples_print_one(rows[phase][kind], 0);
        }
    }
    bench_done();
}

seL4_Bool fault(microkit_child child, microkit_msginfo message, microkit_msginfo *answer)
{
    (void)child;
    (void)message;
    (void)answer;
    return seL4_False;
}
