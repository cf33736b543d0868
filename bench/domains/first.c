/* Polls the counter to detect the start of its slots.
 *
 * domain_switch: the first read is the other program's last in its slot; the second is this program's first in its own
 * slot. Between them lie at most one iteration of the other program's loop, the timer interrupt, the domain switch, and at
 * most one iteration of this program's loop.
 *
 * Two pairs of domains are measured: one without interrupt lines, and one whose programs have two lines each. */

#include "samples.h"
#include "stamp.h"

/* Memory shared by the programs; set by the tool. */
seL4_Word stamp;

/* A gap of this many instructions can only be a slot of the other program. */
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

/* With a constant exit, the kernel saves and restores registers in every build. */
static void measure_exits(void)
{
    measure("domain_switch exit=plain" ROW_FPU);
    bench_check(limen_fpu_set_policy(LIMEN_FPU_SEMI_LAZY, LIMEN_FPU_CONSTANT_EXIT) == seL4_NoError,
                "an option was refused");
    measure("domain_switch exit=constant" ROW_FPU);
    bench_check(limen_fpu_set_policy(LIMEN_FPU_SEMI_LAZY, 0) == seL4_NoError, "no option was refused");
}

/* The pair without lines is measured first, while the other one waits. */
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
