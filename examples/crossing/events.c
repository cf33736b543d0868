#include "events.h"
#include "arrivals.h"

/* An unmapped address. */
#define UNMAPPED 0x10000000ul
/* An empty slot: using it returns an error at once. */
#define NONE 0
/* Number of counter read pairs, of which the smallest counts, and of warm-up events. */
#define PAIRS 100
#define WARM_UP 20

/* Set by the tool. */
seL4_Word arrivals;

#define BOTH_FORMS(name)                                                                      \
    { { limen_cross_##name, (void (*)(void))limen_cross_##name, limen_crossed_##name },       \
      { limen_cross_##name##_serialised, (void (*)(void))limen_cross_##name##_serialised,     \
        limen_crossed_##name##_serialised } }
#define LOOPING                                                                               \
    { { limen_cross_interrupt, limen_crossing_interrupt, limen_crossed_interrupt },           \
      { limen_cross_interrupt_serialised, limen_crossing_interrupt_serialised,                \
        limen_crossed_interrupt_serialised } }

const struct event events[EVENTS] = {
    { "page fault", limen_probe_page_fault, BOTH_FORMS(page_fault), UNMAPPED, 0, HERE },
    { "undefined instruction", limen_probe_undefined, BOTH_FORMS(undefined), 0, 0, HERE },
    { "breakpoint", limen_probe_breakpoint, BOTH_FORMS(breakpoint), 0, 0, HERE },
    { "interrupt", limen_probe_interrupt, LOOPING, 0, 0, HERE },
    { "system call", limen_probe_system_call, BOTH_FORMS(syscall), NONE, seL4_SysCall, HERE },
    { "call to another program", limen_probe_system_call, BOTH_FORMS(syscall), BASE_ENDPOINT_CAP + SERVER,
      seL4_SysCall, SERVER },
    { "notification to another program", limen_probe_system_call, BOTH_FORMS(syscall),
      BASE_OUTPUT_NOTIFICATION_CAP + LISTENER, seL4_SysSend, LISTENER },
};

static seL4_Word smaller(seL4_Word one, seL4_Word other)
{
    return one < other ? one : other;
}

struct overhead measured_overhead(enum form form)
{
    struct overhead overhead = { ~0ul, ~0ul };
    limen_crossing_t crossing = { 0 };
    for (int i = 0; i < PAIRS; i++) {
        if (form == PLAIN) {
            limen_cross_nothing(&crossing);
        } else {
            limen_cross_nothing_serialised(&crossing);
        }
        overhead.in = smaller(overhead.in, crossing.exit - crossing.user);
        overhead.out = smaller(overhead.out, crossing.after - crossing.exit);
    }
    return overhead;
}

/* Makes one crossing. Returns false if it was not sampled. */
static int cross(const struct event *event, enum form form, limen_crossing_t *crossing, limen_probe_sample_t *sample)
{
    const struct code *code = &event->codes[form];
    seL4_Word option = form == PLAIN ? LIMEN_PROBE_EXIT : LIMEN_PROBE_EXIT_SERIALISED;
    if (limen_probe_arm(event->kind, (seL4_Word)code->first, (seL4_Word)code->last, option) != seL4_NoError) {
        return 0;
    }
    code->cross(crossing);
    return limen_probe_read(sample) == seL4_NoError && sample->valid && sample->event == event->kind;
}

static void keep(struct figures *figures, seL4_Word value)
{
    figures->values[figures->count++] = value;
}

int measure(const struct event *event, enum form form, struct ways *ways)
{
    struct arrivals *others = (struct arrivals *)arrivals;
    limen_crossing_t crossing = { .target = event->target, .number = (seL4_Word)event->number };
    limen_probe_sample_t sample;
    ways->in.count = ways->out.count = ways->interrupted = 0;
    others->form = form;
    for (int round = 0; ways->in.count < SAMPLES; round++) {
        if (ways->interrupted > SAMPLES || !cross(event, form, &crossing, &sample)) {
            return 0;
        }
        int is_here = event->arrival == HERE;
        const volatile limen_crossing_t *back = is_here ? &crossing : &others->crossings[event->arrival];
        if (sample.interruptions + (is_here ? sample.interruptions_after : others->interruptions[event->arrival])) {
            ways->interrupted++;
        } else if (round >= WARM_UP) {
            keep(&ways->in, sample.entry - sample.user);
            keep(&ways->out, back->after - back->exit);
        }
    }
    return 1;
}
