/* Statistics over many figures of one kind. */
#ifndef CROSSING_STATISTICS_H
#define CROSSING_STATISTICS_H

#include <microkit.h>

#define SAMPLES 200

struct figures {
    seL4_Word count;
    seL4_Word values[SAMPLES];
};

/* Sorts in ascending order, as the functions below require. */
void figures_sort(struct figures *figures);

/* Returns a percentile. */
seL4_Word figures_percentile(const struct figures *figures, seL4_Word percent);

/* Prints a histogram: a few ranges of equal width that cover at least nine tenths, and one for everything above. */
void figures_say_histogram(const struct figures *figures);

#endif /* CROSSING_STATISTICS_H */
