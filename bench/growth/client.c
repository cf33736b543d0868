/* Notifies the targets in turn, none of which runs before the client blocks, and calls a passive server in between.
 *
 * growth_notify: between the two reads lies one microkit_notify; `ready` targets of the same priority are already ready.
 * growth_call: between the two reads lies one microkit_ppcall without words, while so many targets are ready.
 * growth_words: the same with message words, while no target is ready.
 *
 * A round ends with a notification to the lowest-priority program, which answers after every target has run and blocked
 * again. */

#include "samples.h"

#define TARGETS (DOMAINS - 4)
#define ECHO 0
#define LAST 1
#define ROW_NUMBER(key, number) " " key "=" ROW_VALUE(number)
#define ROW_VALUE(number) #number
#define ROW_DOMAINS ROW_NUMBER_OF("domains", DOMAINS)
#define ROW_NUMBER_OF(key, number) ROW_NUMBER(key, number)

/* The maximum number of ready targets in each system, and smaller numbers. */
#define MARKS 6

struct mark {
    seL4_Word ready;
    const char *notify, *call;
};

#define MARK(number)                                                                                               \
    {                                                                                                              \
        number, "growth_notify" ROW_DOMAINS " ready=" #number, "growth_call" ROW_DOMAINS " ready=" #number         \
    }

static const struct mark marks[MARKS] = { MARK(0), MARK(1), MARK(3), MARK(15), MARK(27), MARK(58) };
static struct samples notifications[MARKS], calls[MARKS], words;

static seL4_Word call(seL4_Word count)
{
    microkit_msginfo request = microkit_msginfo_new(count + 1, (seL4_Uint16)count);
    seL4_Word before = limen_counter();
    microkit_msginfo answer = microkit_ppcall(ECHO, request);
    seL4_Word after = limen_counter();
    bench_check(microkit_msginfo_get_label(answer) == count + 1, "a call brought back something else");
    return after - before;
}

static void notify_target(seL4_Word target, struct samples *kept)
{
    microkit_channel channel = (microkit_channel)(target < 28 ? target + 2 : target + 3);
    seL4_Word before = limen_counter();
    microkit_notify(channel);
    seL4_Word after = limen_counter();
    if (kept) {
        samples_add(kept, after - before);
    }
}

/* Sends one notification to each target, at the marks with a call before it. Returns false when the samples suffice. */
static int round(void)
{
    seL4_Word mark = 0;
    for (seL4_Word ready = 0; ready < TARGETS; ready++) {
        int marked = mark < MARKS && marks[mark].ready == ready;
        if (marked) {
            samples_add(&calls[mark], call(0));
        }
        notify_target(ready, marked ? &notifications[mark] : 0);
        mark += (seL4_Word)marked;
    }
    return notifications[0].rounds < ROUNDS;
}

static void measure_words(seL4_Word count, const char *row)
{
    samples_start(&words);
    while (samples_add(&words, call(count))) {
    }
    samples_print(&words, row);
}

#define MEASURE_WORDS(number) measure_words(number, "growth_words" ROW_DOMAINS " words=" #number)

static void measure_all_words(void)
{
    MEASURE_WORDS(0);
    MEASURE_WORDS(1);
    MEASURE_WORDS(2);
    MEASURE_WORDS(4);
    MEASURE_WORDS(5);
    MEASURE_WORDS(8);
    MEASURE_WORDS(16);
    MEASURE_WORDS(32);
    MEASURE_WORDS(64);
    MEASURE_WORDS(120);
}

void init(void)
{
    if (DOMAINS == 8) {
        measure_all_words();
    }
    for (int mark = 0; mark < MARKS; mark++) {
        samples_start(&notifications[mark]);
        samples_start(&calls[mark]);
    }
    microkit_notify(LAST);
}

static void print_all(void)
{
    for (int mark = 0; mark < MARKS && marks[mark].ready < TARGETS; mark++) {
        samples_print(&notifications[mark], marks[mark].notify);
        samples_print(&calls[mark], marks[mark].call);
    }
    bench_done();
}

/* All other programs wait. */
void notified(microkit_channel ch)
{
    bench_check(ch == LAST, "a target notified the client");
    if (round()) {
        microkit_notify(LAST);
    } else {
        print_all();
    }
}
