/* Looks at the counter all the time, to see when its slots begin.
 *
 * domain_switch: the first read is the last that the program of the other domain could do in its slot; the second is the
 * first that this program does in its own. Between them lie what the other one still did before the timer's interrupt,
 * at most its loop, the interrupt, the change of domains, and this program's way round its loop, at most once. */

#include "samples.h"

/* Where the other program stores the counter; set by the tool. */
seL4_Word stamp;

/* Instructions that only a slot of the other program can take. */
#define JUMP 20000ul

static struct samples samples;

void init(void)
{
    samples_start(&samples);
    seL4_Word wanted = 1, last = limen_counter();
    while (wanted) {
        seL4_Word now = limen_counter();
        if (now - last > JUMP) {
            wanted = samples_add(&samples, now - *(volatile seL4_Word *)stamp);
        }
        last = now;
    }
    samples_print(&samples, "domain_switch fpu=on");
    bench_done();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
