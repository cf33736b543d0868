/* Looks at the counter all the time, to see when its slots begin.
 *
 * domain_switch: the first read is the last that the program of the other domain could do in its slot; the second is the
 * first that this program does in its own. Between them lie what the other one still did before the timer's interrupt,
 * at most its loop, the interrupt, the change of domains, and this program's way round its loop, at most once.
 *
 * There are two pairs of domains: one without interrupt lines, and one whose two programs have two lines each. */

#include "samples.h"
#include "stamp.h"

/* What the programs share; set by the tool. */
seL4_Word stamp;

/* Instructions that only a slot of the other program can take. */
#define JUMP 20000ul

static struct samples samples;

static volatile struct stamp *shared(void)
{
    return (volatile struct stamp *)stamp;
}

/* The pair without lines prints first. */
static void report(void)
{
    if (!microkit_irqs) {
        samples_print(&samples, "domain_switch fpu=on");
        shared()->first_is_done = 1;
        return;
    }
    while (!shared()->first_is_done) {
    }
    samples_print(&samples, "domain_switch lines=4 fpu=on");
    bench_done();
}

void init(void)
{
    samples_start(&samples);
    seL4_Word wanted = 1, last = limen_counter();
    while (wanted) {
        seL4_Word now = limen_counter();
        if (now - last > JUMP) {
            wanted = samples_add(&samples, now - shared()->counter);
        }
        last = now;
    }
    report();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
