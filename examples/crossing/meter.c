/* Measures kernel entry and exit for every kind of event, and prints the results. */

#include "events.h"
#include "machine.h"
#include "say.h"
#include "table.h"

/* Iterations and repetitions of a loop that detects whether the counter counts instructions. */
#define ROUNDS 1000
#define TRIES 16
/* Instructions around the loop. */
#define AROUND 32

#define MEDIAN 50

/* Set by the tool. */
seL4_Word followed;

static struct overhead overheads[2];
static struct results results;
static const char *const form_names[] = { "plain", "serialised" };

static seL4_Word counts_of_loop(void)
{
    seL4_Word before = limen_counter();
    two_instructions(ROUNDS);
    return limen_counter() - before;
}

/* A clock would not show the same count each time, nor the number of instructions. */
static int is_counting_instructions(void)
{
    int same = 0;
    for (int i = 0; i < TRIES; i++) {
        seL4_Word counts = counts_of_loop();
        same += counts >= 2 * ROUNDS && counts < 2 * ROUNDS + AROUND;
    }
    return same >= TRIES - 1;
}

static void say_setting(void)
{
    limen_probe_sample_t sample;
    limen_probe_read(&sample);
    int is_counting = is_counting_instructions();
    results.unit = is_counting ? "instructions" : counter_unit;
    results.is_page_table_switched = sample.is_page_table_switched;
    say("system:      " BOARD ", " CONFIGURATION "\n");
    say("processor:   ");
    say_processor();
    say("\nplatform:    ");
    say_platform();
    say("\ncounter:     ");
    say(counter_name);
    say("\nunit:        ");
    say(results.unit);
    say(is_counting ? ": the counter says the same of a loop each time, as that of an emulator does\n" : "\n");
    say("mitigations: ");
    say(results.is_page_table_switched
            ? "page_table_switch=on: at every crossing, between the kernel's two stamps; the kernel has no other\n"
            : "none: page tables are not switched, and the kernel has no other at crossings\n");
    say("barrier:     ");
    say_barrier();
    say("reading:     ");
    for (enum form form = PLAIN; form <= SERIALISED; form++) {
        overheads[form] = measured_overhead(form);
        say(form_names[form]);
        say(" (");
        say(form == PLAIN ? plain_read : serialised_read);
        say(") adds ");
        say_number(overheads[form].in, 0);
        say(" in and ");
        say_number(overheads[form].out, 0);
        say(form == PLAIN ? " out, " : " out\n");
    }
    results.reading = overheads[SERIALISED];
    say("net:         raw less what reading adds; figures are of ");
    say_number(SAMPLES, 0);
    say(" samples\n");
}

static void say_quantiles(const struct figures *figures, seL4_Word less)
{
    static const seL4_Word percents[] = { 0, MEDIAN, 99, 100 };
    for (seL4_Word i = 0; i < sizeof percents / sizeof *percents; i++) {
        seL4_Word value = figures_percentile(figures, percents[i]);
        say_number(value > less ? value - less : 0, 9);
    }
}

static void say_way(const char *direction, enum form form, struct figures *figures, seL4_Word less)
{
    figures_sort(figures);
    say("  ");
    say_left(direction, 16);
    say_left(form_names[form], 10);
    say(" raw");
    say_quantiles(figures, 0);
    say("\n");
    say_left("", 28);
    say(" net");
    say_quantiles(figures, less);
    say("\n");
    figures_say_histogram(figures);
}

static void summarise(struct summary *summary, const struct ways *ways)
{
    summary->is_measured = 1;
    summary->in = figures_percentile(&ways->in, MEDIAN);
    summary->out = figures_percentile(&ways->out, MEDIAN);
}

static void say_quantile_names(const char *name)
{
    say("\n");
    say_left(name, 32);
    say("      min   median      p99      max\n");
}

static void say_interrupted(const struct ways *ways)
{
    if (ways->interrupted) {
        say("  left out, because something else came between: ");
        say_number(ways->interrupted, 0);
        say("\n");
    }
}

/* The follower has measured before this program started. */
static void say_followed(void)
{
    struct ways *ways = (struct ways *)followed;
    say_quantile_names("breakpoint, followed");
    if (ways->in.count < SAMPLES) {
        say("  cannot be sampled\n");
        return;
    }
    say_way("user to kernel", PLAIN, &ways->in, overheads[PLAIN].in);
    say_way("kernel to user", PLAIN, &ways->out, overheads[PLAIN].out);
    say_interrupted(ways);
}

static void say_event(const struct event *event, struct summary *summary)
{
    static struct ways ways;
    say_quantile_names(event->name);
    for (enum form form = PLAIN; form <= SERIALISED; form++) {
        if (!measure(event, form, &ways)) {
            say("  cannot be sampled\n");
            return;
        }
        say_way("user to kernel", form, &ways.in, overheads[form].in);
        say_way("kernel to user", form, &ways.out, overheads[form].out);
        if (form == SERIALISED) {
            summarise(summary, &ways);
        }
        say_interrupted(&ways);
    }
}

void init(void)
{
    say_start();
    say("crossing: what it takes to enter the kernel, and what to come back\n");
    if (limen_probe_start() != seL4_NoError) {
        say("LIMEN|FAIL the description does not grant <probe/>\n");
        return;
    }
    say_setting();
    for (seL4_Word i = 0; i < EVENTS; i++) {
        say_event(&events[i], &results.events[i]);
    }
    limen_probe_stop();
    say_followed();
    table_say(&results);
    say("LIMEN|DONE\n");
}

void notified(microkit_channel ch)
{
    (void)ch;
}
