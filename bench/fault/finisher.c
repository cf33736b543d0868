/* Runs when every child has finished. */

#include "samples.h"

void init(void)
{
    bench_done();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
