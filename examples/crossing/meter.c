/* Measures kernel entry and exit for every kind of event, and prints the results. */

#include "events.h"
#include "machine.h"
#include "say.h"

/* Iterations and repetitions of a loop that detects whether the counter counts instructions. */
#define ROUNDS 1000
#define TRIES 16
/* Instructions around the loop. */
#define AROUND 32

static struct overhead overheads[2];
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
    say("counter:     ");
    say(counter_name);
    say("\nmachine:     ");
    say_machine();
    say("unit:        ");
    say(is_counting_instructions()
            ? "instructions: the counter says the same of a loop each time, as that of an emulator does\n"
            : "counts of this counter\n");
    say("mitigations: ");
    say(sample.is_page_table_switched ? "page tables are switched at every crossing, between the kernel's two stamps\n"
                                      : "none at crossings: page tables are not switched\n");
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
    say("net:         raw less what reading adds; figures are of ");
    say_number(SAMPLES, 0);
    say(" samples\n");
}

static void say_quantiles(const struct figures *figures, seL4_Word less)
{
    static const seL4_Word percents[] = { 0, 50, 99, 100 };
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

static void say_event(const struct event *event)
{
    static struct ways ways;
    say("\n");
    say_left(event->name, 32);
    say("      min   median      p99      max\n");
    for (enum form form = PLAIN; form <= SERIALISED; form++) {
        if (!measure(event, form, &ways)) {
            say("  cannot be sampled\n");
            return;
        }
        say_way("user to kernel", form, &ways.in, overheads[form].in);
        say_way("kernel to user", form, &ways.out, overheads[form].out);
        if (ways.interrupted) {
            say("  left out, because something else came between: ");
            say_number(ways.interrupted, 0);
            say("\n");
        }
    }
}

/* Published figures for page faults on a Linux kernel modified to measure them, including the cost of the stamps. */
static void say_comparison(void)
{
    say("  for comparison, in cycles of a Xeon E5 v3 at 2.4 GHz, raw, with a Linux 4.19 that was changed for it:\n");
    say("  user to kernel   bare about 440, in a virtual machine about 600\n");
    say("  kernel to user   bare about 270, in a virtual machine about 370\n");
}

void init(void)
{
    say("crossing: what it takes to enter the kernel, and what to come back\n");
    if (limen_probe_start() != seL4_NoError) {
        say("crossing: the description does not grant <probe/>\n");
        return;
    }
    say_setting();
    for (seL4_Word i = 0; i < EVENTS; i++) {
        say_event(&events[i]);
        if (events[i].kind == limen_probe_page_fault) {
            say_comparison();
        }
    }
    limen_probe_stop();
    say("LIMEN|DONE\n");
}

void notified(microkit_channel ch)
{
    (void)ch;
}
