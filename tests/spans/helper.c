/* Begins and ends spans that `tester.c` ends and begins. */

#include "helper.h"

#include <limen/trace.h>

void begin_inner(seL4_Word round)
{
    limen_trace_begin("inner", round);
    limen_trace_counter("items", 10 * round + 1);
}

void end_outer(seL4_Word round)
{
    limen_trace_end("outer", round);
}
