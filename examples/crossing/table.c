#include "table.h"
#include "machine.h"
#include "say.h"

#define NAME_WIDTH 32

static seL4_Word net(seL4_Word raw, seL4_Word reading)
{
    return raw > reading ? raw - reading : 0;
}

static void say_pair(seL4_Word in, seL4_Word out)
{
    say_number(in, 0);
    say(", ");
    say_number(out, 0);
}

static void say_row(const char *name, const struct summary *event, const struct overhead *reading)
{
    say("| ");
    say_left(name, NAME_WIDTH);
    if (!event->is_measured) {
        say(" | not sampled | not sampled | |\n");
        return;
    }
    say(" | ");
    say_number(event->in, 0);
    say(" | ");
    say_number(event->out, 0);
    say(" | ");
    say_pair(net(event->in, reading->in), net(event->out, reading->out));
    say(" |\n");
}

static void say_table(const struct results *results)
{
    say("\n| crossing | user to kernel (");
    say(results->unit);
    say(") | kernel to user (");
    say(results->unit);
    say(") | both, net |\n|---|---|---|---|\n");
    for (seL4_Word i = 0; i < EVENTS; i++) {
        say_row(events[i].name, &results->events[i], &results->reading);
    }
}

/* The columns of the table in docs/hardware.md. */
static void say_line(const struct results *results)
{
    say("\nfor docs/hardware.md, in one line:\n| ");
    say_processor();
    say(" | ");
    say_platform();
    say(" | " BOARD ", " CONFIGURATION " | ");
    say(results->is_page_table_switched ? "page_table_switch=on" : "none");
    say(" | ");
    say(results->unit);
    say(" | ");
    say_pair(results->reading.in, results->reading.out);
    for (seL4_Word i = 0; i < EVENTS; i++) {
        const struct summary *event = &results->events[i];
        say(" | ");
        if (event->is_measured) {
            say_pair(event->in, event->out);
        } else {
            say("not sampled");
        }
    }
    say(" |\n");
}

/* Published figures for page faults on a Linux kernel modified to measure them, including the cost of the stamps. */
static void say_comparison(void)
{
    say("\nfor comparison, page faults on a Xeon E5 v3 at 2.4 GHz, with a Linux 4.19 that was changed for it:\n");
    say("| platform | user to kernel (cycles) | kernel to user (cycles) |\n|---|---|---|\n");
    say("| VM | about 600 | about 370 |\n");
    say("| bare metal | about 440 | about 270 |\n");
}

void table_say(const struct results *results)
{
    say("\ntable:       medians with a barrier before each reading, which the figures include; net leaves it out\n");
    say_table(results);
    say_comparison();
    say_line(results);
}
