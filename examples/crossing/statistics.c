#include "statistics.h"
#include "say.h"

#define RANGES 6
#define BAR 40
/* The percentage of the figures that the ranges cover. */
#define MOST 90

void figures_sort(struct figures *figures)
{
    seL4_Word *values = figures->values;
    for (seL4_Word i = 1; i < figures->count; i++) {
        seL4_Word value = values[i];
        seL4_Word place = i;
        for (; place && values[place - 1] > value; place--) {
            values[place] = values[place - 1];
        }
        values[place] = value;
    }
}

seL4_Word figures_percentile(const struct figures *figures, seL4_Word percent)
{
    seL4_Word place = figures->count * percent / 100;
    return figures->values[place < figures->count ? place : figures->count - 1];
}

static void say_range(seL4_Word first, seL4_Word last, seL4_Word seen, seL4_Word all)
{
    say_number(first, 14);
    if (first == last) {
        say_repeated(' ', 14);
    } else {
        say(" to ");
        say_number(last, 10);
    }
    say_number(seen, 6);
    say(" ");
    say_repeated('#', (seen * BAR + all - 1) / all);
    say("\n");
}

void figures_say_histogram(const struct figures *figures)
{
    const seL4_Word *values = figures->values;
    seL4_Word top = figures_percentile(figures, MOST);
    seL4_Word width = (top - values[0]) / RANGES + 1;
    seL4_Word next = 0;
    for (seL4_Word start = values[0]; next < figures->count; start += width) {
        int is_rest = start > top;
        seL4_Word first = next;
        while (next < figures->count && (is_rest || values[next] < start + width)) {
            next++;
        }
        if (next > first) {
            say_range(values[first], values[next - 1], next - first, figures->count);
        }
    }
}
