/* Works for a while at each signal; a program of another name works longer. */

#include <limen/trace.h>
#include <microkit.h>

#define OBSERVER 0
#define STEPS 100000ul

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
    seL4_Word jobs = microkit_name[0] == 'h' ? 8 : 1;
    for (seL4_Word job = 0; job < jobs; job++) {
        limen_trace_begin("job", job);
        for (volatile seL4_Word step = 0; step < STEPS; step++) {
        }
        limen_trace_end("job", job);
    }
    microkit_notify(OBSERVER);
}
