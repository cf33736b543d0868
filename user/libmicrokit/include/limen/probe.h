/* Measures the cost of kernel entry and exit for this program. The system description grants it: <probe/>.
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
 * The program reads the counter into a register (x9; t1; rbx) and causes the event. The kernel reads it in its first
 * instructions, and with its last one (into x10; t2; rdx and rax). The kernel samples only the armed event, once unless
 * it stays armed, and stamps only the return from it. An armed fault is not delivered if it occurs in the code range that the program named:
 * the program continues at the address that it gave.
 * An armed system call that itself arms or stops is not stamped at its return.
 *
 * With <probe ring_vaddr="0x4000000" setvar_ring="ring"/> the samples go to a page that the program reads without system
 * calls, also while an event stays armed:
 *
 *   limen_ring_cursor_t cursor = { .ring = (const limen_ring_line_t *)ring };
 *   limen_probe_arm(limen_probe_undefined, first, last, LIMEN_PROBE_EVERY);
 *   ... events
 *   while (limen_probe_ring_next(&cursor, &sample)) {
 *       ... sample.entry - sample.user
 *   } */
#ifndef LIMEN_PROBE_H
#define LIMEN_PROBE_H

#include <limen/ring.h>
#include <limen/slots.h>
#include <microkit.h>
#include <sel4/sel4.h>

/* One entry. */
typedef struct limen_probe_sample {
    seL4_Bool valid; /* if false, only `dropped` and the fields after it are meaningful */
    limen_probe_event_t event;
    seL4_Uint64 user;    /* contents of the program's stamp register */
    seL4_Uint64 entry;   /* the counter in the kernel */
    seL4_Word interruptions; /* other kernel entries between arming and the event */
    seL4_Word dropped;       /* samples lost since the start because the buffer was full */
    seL4_Bool is_page_table_switched; /* at every crossing, against Meltdown */
    seL4_Word interruptions_after;    /* kernel entries since the return from the last event */
} limen_probe_sample_t;

/* Starts probing. seL4_IllegalOperation if it is running already. Patches kernel code, which uses the caller's budget. */
static inline seL4_Error limen_probe_start(void)
{
    return limen_invoke_plain(LIMEN_PROBE_CAP, LimenProbeStart, 0);
}

/* Stops probing, as does stopping the program. seL4_IllegalOperation if it is not running. */
static inline seL4_Error limen_probe_stop(void)
{
    return limen_invoke_plain(LIMEN_PROBE_CAP, LimenProbeStop, 0);
}

/* Arms one event and replaces an event that is armed. A fault or interrupt counts only while the program counter is
 * between `first` and `last`; the program then continues at `last`. A system call counts anywhere. The options are 0,
 * or LIMEN_PROBE_EXIT, which lets the kernel overwrite the registers of the exit stamp, or
 * LIMEN_PROBE_EXIT_SERIALISED, which also waits for all instructions before the stamp. With LIMEN_PROBE_EVERY added, the
 * event stays armed until the program arms another or stops; a system call then counts only if it returns to an address
 * between `first` and `last`.
 * seL4_RangeError for other values, seL4_IllegalOperation before the start. */
static inline seL4_Error limen_probe_arm(limen_probe_event_t event, seL4_Word first, seL4_Word last,
                                          seL4_Word options)
{
    limen_words_t words = { LIMEN_VALUE(seL4_Word, event), first, last, options };
    return limen_outcome(limen_invoke(LIMEN_PROBE_CAP, LimenProbeArm, 0, 4, words));
}

/* Removes and returns the oldest of up to LIMEN_PROBE_SAMPLES samples. A program with a ring has none here. */
static inline seL4_Error limen_probe_read(limen_probe_sample_t *sample)
{
    limen_received_t answer = limen_invoke(LIMEN_PROBE_CAP, LimenProbeRead, 0, 0, limen_two_words(0, 0));
    sample->valid = answer.words.mr0 != 0;
    sample->event = LIMEN_VALUE(limen_probe_event_t, answer.words.mr1);
    sample->user = answer.words.mr2;
    sample->entry = answer.words.mr3;
    sample->interruptions = seL4_GetMR(4);
    sample->dropped = seL4_GetMR(5);
    sample->is_page_table_switched = seL4_GetMR(6) != 0;
    sample->interruptions_after = seL4_GetMR(7);
    return limen_outcome(answer);
}

/* Copies the next sample of the ring, without a system call. Returns false if there is none. `dropped` counts the samples
 * that this cursor missed. `interruptions_after` is 0: entries after the return count as `interruptions` of the next
 * sample of an event that stays armed. limen_probe_start clears the ring; begin with a new cursor then. */
static inline seL4_Bool limen_probe_ring_next(limen_ring_cursor_t *cursor, limen_probe_sample_t *sample)
{
    limen_ring_line_t line;
    sample->valid = limen_ring_next(cursor, line);
    if (sample->valid) {
        sample->event = LIMEN_VALUE(limen_probe_event_t, line[LIMEN_RING_RECORD]);
        sample->user = line[LIMEN_RING_RECORD + 1];
        sample->entry = line[LIMEN_RING_RECORD + 2];
        sample->interruptions = line[LIMEN_RING_RECORD + 3];
    }
    sample->dropped = cursor->lost;
    sample->is_page_table_switched =
        __atomic_load_n(&cursor->ring[0][LIMEN_RING_PAGE_TABLE_SWITCH], __ATOMIC_RELAXED) != 0;
    sample->interruptions_after = 0;
    return sample->valid;
}

/* The arguments of a crossing, and the program's half of its result. */
typedef struct limen_crossing {
    seL4_Word target;  /* the capability of a system call; the address of a page fault */
    seL4_Word info;    /* of a system call without message words, as everything down to the stamps */
    seL4_Word number;
    seL4_Word reply;
    seL4_Uint64 user;  /* the program's stamp */
    seL4_Uint64 exit;  /* the kernel's stamp; undefined if the return was not stamped */
    seL4_Uint64 after; /* the counter then */
} limen_crossing_t;

/* Each function reads the counter with as few instructions around it as possible and causes an event. The second name is
 * the address after the event, where the program continues. Functions that end in _serialised read the counter after all
 * earlier instructions complete, as far as the processor has a barrier for that.
 *
 * limen_cross_nothing causes no event: it reads the counter once in place of the kernel, into `exit`. `exit - user` is thus
 * the cost of the reads on entry, and `after - exit` their cost on exit.
 * limen_cross_interrupt returns only if interrupts are armed, after the next one. It stamps in a loop that starts at
 * limen_crossing_interrupt. */
#define LIMEN_CROSSINGS(DO) \
    DO(nothing) DO(page_fault) DO(undefined) DO(breakpoint) DO(syscall) DO(interrupt)
#define LIMEN_CROSSING(name)                              \
    void limen_cross_##name(limen_crossing_t *crossing);  \
    void limen_crossed_##name(void);                      \
    void limen_cross_##name##_serialised(limen_crossing_t *crossing); \
    void limen_crossed_##name##_serialised(void);
#ifdef __cplusplus
extern "C" {
#endif
LIMEN_CROSSINGS(LIMEN_CROSSING)
void limen_crossing_interrupt(void);
void limen_crossing_interrupt_serialised(void);
#ifdef __cplusplus
}
#endif

/* Arms one of these crossings, with the exit stamp. */
#define LIMEN_PROBE_ARM(event)                                                                                     \
    limen_probe_arm(limen_probe_##event, LIMEN_ADDRESS(seL4_Word, limen_cross_##event),                            \
                    LIMEN_ADDRESS(seL4_Word, limen_crossed_##event), LIMEN_PROBE_EXIT)
static inline seL4_Error limen_probe_arm_interrupt(void)
{
    return limen_probe_arm(limen_probe_interrupt, LIMEN_ADDRESS(seL4_Word, limen_crossing_interrupt),
                           LIMEN_ADDRESS(seL4_Word, limen_crossed_interrupt), LIMEN_PROBE_EXIT);
}
static inline seL4_Error limen_probe_arm_syscall(void)
{
    return limen_probe_arm(limen_probe_system_call, 0, 0, LIMEN_PROBE_EXIT);
}

#endif /* LIMEN_PROBE_H */
