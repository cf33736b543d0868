/* Writes an event for each signal from another processor. */

#include <limen.h>
#include <limen/trace.h>

#include "shared.h"

seL4_Word shared;

void init(void)
{
}

void notified(microkit_channel channel)
{
    (void)channel;
    limen_trace_event("signal", all()->written);
    store(&all()->written, all()->written + 1);
}
