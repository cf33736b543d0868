/* Does not probe, and measures the cost of probing by other programs.
 *
 * cross_bystander: between the two reads lies a protected call without words to a passive server, and its answer, as in
 * the row ppc_rt: first while no program probes, and again while others do. */

#include "samples.h"

#define ECHO 0

static struct samples samples;

static seL4_Word round_trip(void)
{
    seL4_Word before = limen_counter();
    microkit_ppcall(ECHO, microkit_msginfo_new(0, 0));
    return limen_counter() - before;
}

static void measure(const char *row)
{
    samples_start(&samples);
    while (samples_add(&samples, round_trip())) {
    }
    samples_print_distribution(&samples, row);
}

/* It has a higher priority than the probing programs, so they have not started yet. */
void init(void)
{
    measure("cross_bystander probing=none");
}

void notified(microkit_channel ch)
{
    (void)ch;
    measure("cross_bystander probing=others");
}
