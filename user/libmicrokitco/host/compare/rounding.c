/* The same switch with rounding modes and exception masks of each thread. */

#include <libmicrokitco_opts.h>
#define LIBMICROKITCO_OWN_ROUNDING
#include "bare.h"

void cothreads_rounding(long count)
{
    bounce_bare(count);
}
