/* Ends the run when it is notified. */

#include "samples.h"

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
    bench_done();
}
