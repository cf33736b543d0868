/* What it costs the program to enter the kernel and to come back. A system description grants it: <probe/>.
 *
 *   limen_probe_sample_t sample;
 *   limen_crossing_t crossing = { 0 };
 *   limen_probe_start();
 *   LIMEN_PROBE_ARM(undefined);
 *   limen_cross_undefined(&crossing);
 *   limen_probe_read(&sample);
 *   ... sample.entry - crossing.user, crossing.after - crossing.exit
 *   limen_probe_stop();
 *
 * The program reads the counter into a register (x9; t1; rbx) and causes the event. The kernel reads it at its first
 * instructions, and with its last one (into x10; t2; rdx and rax). Only the event that was armed is sampled, once, and only the
 * return from it is stamped. A fault that was armed for is not delivered: the program goes on where it has said,
 * if it was in the code that it has named.
 * An armed system call that itself arms or stops is not stamped at its return. */
#ifndef LIMEN_PROBE_H
#define LIMEN_PROBE_H

#include <limen/slots.h>
#include <microkit.h>
#include <sel4/sel4.h>

/* One entry. */
typedef struct limen_probe_sample {
    seL4_Bool valid; /* if not, only `dropped` and what follows mean something */
    limen_probe_event_t event;
    seL4_Uint64 user;    /* what the program had in the register of its stamp, whatever that was */
    seL4_Uint64 entry;   /* the counter in the kernel */
    seL4_Word interruptions; /* how often else the program was in the kernel between arming and the event */
    seL4_Word dropped;       /* samples since the start for which there was no room */
    seL4_Bool is_page_table_switched; /* at every crossing, against Meltdown */
    seL4_Word interruptions_after;    /* how often the program was in the kernel since it returned from the last event */
} limen_probe_sample_t;

/* Begins. seL4_IllegalOperation if it has begun. It changes code of the kernel, which takes the caller's time. */
static inline seL4_Error limen_probe_start(void)
{
    return limen_invoke_plain(LIMEN_PROBE_CAP, LimenProbeStart, 0);
}

/* Ends, as stopping the program does. seL4_IllegalOperation if it has not begun. */
static inline seL4_Error limen_probe_stop(void)
{
    return limen_invoke_plain(LIMEN_PROBE_CAP, LimenProbeStop, 0);
}

/* Arms one event, instead of that which may be armed. A fault or interrupt is that event only where the program counter is
 * from `first` to `last`, and the program goes on at `last`. A system call may be anywhere. The
 * options are 0 or LIMEN_PROBE_EXIT, which gives the registers of the return's stamp to the kernel, or
 * LIMEN_PROBE_EXIT_SERIALISED, with which it waits for what is before the stamp.
 * seL4_RangeError for other values, seL4_IllegalOperation before the start. */
static inline seL4_Error limen_probe_arm(limen_probe_event_t event, seL4_Word first, seL4_Word last,
                                          seL4_Word options)
{
    limen_words_t words = { (seL4_Word)event, first, last, options };
    return limen_outcome(limen_invoke(LIMEN_PROBE_CAP, LimenProbeArm, 0, 4, words));
}

/* Takes the oldest of up to LIMEN_PROBE_SAMPLES samples. */
static inline seL4_Error limen_probe_read(limen_probe_sample_t *sample)
{
    limen_received_t answer = limen_invoke(LIMEN_PROBE_CAP, LimenProbeRead, 0, 0, limen_two_words(0, 0));
    sample->valid = answer.words.mr0 != 0;
    sample->event = (limen_probe_event_t)answer.words.mr1;
    sample->user = answer.words.mr2;
    sample->entry = answer.words.mr3;
    sample->interruptions = seL4_GetMR(4);
    sample->dropped = seL4_GetMR(5);
    sample->is_page_table_switched = seL4_GetMR(6) != 0;
    sample->interruptions_after = seL4_GetMR(7);
    return limen_outcome(answer);
}

/* What a crossing is given, and the program's side of what it finds. */
typedef struct limen_crossing {
    seL4_Word target;  /* the capability of a system call; the address of a page fault */
    seL4_Word info;    /* of a system call without message words, as everything down to the stamps */
    seL4_Word number;
    seL4_Word reply;
    seL4_Uint64 user;  /* the program's stamp */
    seL4_Uint64 exit;  /* the kernel's stamp; nothing that means anything if the return was not stamped */
    seL4_Uint64 after; /* the counter then */
} limen_crossing_t;

/* Each reads the counter with the fewest instructions around it and causes an event. Behind the event lies the address of
 * the second name, where the program is to go on. Those that end in _serialised read the counter when everything before is
 * complete, as far as the processor has a barrier for that.
 *
 * limen_cross_nothing has no event: it reads the counter where the kernel would, once, into `exit`. So `exit - user` is what
 * reading alone adds to the way in, and `after - exit` what it adds to the way out.
 * limen_cross_interrupt returns only if interrupts are armed, after the next. Its stamps follow each other in a loop that starts at
 * limen_crossing_interrupt. */
#define LIMEN_CROSSINGS(DO) \
    DO(nothing) DO(page_fault) DO(undefined) DO(breakpoint) DO(syscall) DO(interrupt)
#define LIMEN_CROSSING(name)                              \
    void limen_cross_##name(limen_crossing_t *crossing);  \
    void limen_crossed_##name(void);                      \
    void limen_cross_##name##_serialised(limen_crossing_t *crossing); \
    void limen_crossed_##name##_serialised(void);
LIMEN_CROSSINGS(LIMEN_CROSSING)
void limen_crossing_interrupt(void);
void limen_crossing_interrupt_serialised(void);

/* Arms one of these, with the stamp of the return. */
#define LIMEN_PROBE_ARM(event)                                                                                     \
    limen_probe_arm(limen_probe_##event, (seL4_Word)limen_cross_##event, (seL4_Word)limen_crossed_##event, LIMEN_PROBE_EXIT)
static inline seL4_Error limen_probe_arm_interrupt(void)
{
    return limen_probe_arm(limen_probe_interrupt, (seL4_Word)limen_crossing_interrupt,
                           (seL4_Word)limen_crossed_interrupt, LIMEN_PROBE_EXIT);
}
static inline seL4_Error limen_probe_arm_syscall(void)
{
    return limen_probe_arm(limen_probe_system_call, 0, 0, LIMEN_PROBE_EXIT);
}

#endif /* LIMEN_PROBE_H */
