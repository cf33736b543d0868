/* Many figures of one kind, and what they say. */
#ifndef CROSSING_STATISTICS_H
#define CROSSING_STATISTICS_H

#include <microkit.h>

#define SAMPLES 200

struct figures {
    seL4_Word count;
    seL4_Word values[SAMPLES];
};

/* Ascending, as what follows needs them. */
void figures_sort(struct figures *figures);

/* That which so many of a hundred do not exceed. */
seL4_Word figures_percentile(const struct figures *figures, seL4_Word percent);

/* A line for each of a few ranges of equal width, which have nine tenths of them or more, and one for all that is above. */
void figures_say_histogram(const struct figures *figures);

#endif /* CROSSING_STATISTICS_H */
