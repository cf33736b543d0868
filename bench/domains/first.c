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

static void measure(const char *row)
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
    samples_print(&samples, row);
}

/* With a constant exit, registers are saved and loaded in every build. */
static void measure_exits(void)
{
    measure("domain_switch exit=plain" ROW_FPU);
    bench_check(limen_fpu_set_policy(LIMEN_FPU_SEMI_LAZY, LIMEN_FPU_CONSTANT_EXIT) == seL4_NoError,
                "an option was refused");
    measure("domain_switch exit=constant" ROW_FPU);
    bench_check(limen_fpu_set_policy(LIMEN_FPU_SEMI_LAZY, 0) == seL4_NoError, "no option was refused");
}

/* The pair without lines is measured first, the other one meanwhile waits. */
void init(void)
{
    if (!microkit_irqs) {
        measure_exits();
        shared()->first_is_done = 1;
        return;
    }
    while (!shared()->first_is_done) {
    }
    measure("domain_switch lines=4" ROW_FPU);
    bench_done();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
