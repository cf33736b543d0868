/* The measurements of `ppc` and `notify`, which describe the measured paths, with budgets below the periods. The difference
 * is the cost of charging a budget with a list of refills instead of a full one. */

#include "samples.h"
#include "turns.h"

#define ECHO_ACTIVE 0
#define ECHO_PASSIVE 1
#define ANSWERER 2

/* The other program's count of answers, by channel; set by the tool. */
seL4_Word answers;

/* Memory shared with the programs that take turns; set by the tool. */
seL4_Word shared_turns;

static struct samples samples;
static seL4_Word before;

LIMEN_INLINE seL4_Word round_trip(microkit_channel server)
{
    microkit_msginfo request = microkit_msginfo_new(samples.rounds, 0);
    seL4_Word start = limen_counter();
    microkit_msginfo answer = microkit_ppcall(server, request);
    seL4_Word end = limen_counter();
    bench_check(microkit_msginfo_get_label(answer) == samples.rounds, "a protected call brought back a wrong label");
    return end - start;
}

LIMEN_INLINE void measure_round_trip(const char *row, microkit_channel server)
{
    samples_start(&samples);
    while (samples_add(&samples, round_trip(server))) {
    }
    samples_print(&samples, row);
}

void init(void)
{
    measure_round_trip("ppc_rt server=passive words=0 budget=share" ROW_FPU, ECHO_PASSIVE);
    measure_round_trip("ppc_rt server=active words=0 budget=share" ROW_FPU, ECHO_ACTIVE);
    samples_start(&samples);
    microkit_notify(ANSWERER);
}

static void start_turns(void)
{
    ((volatile struct turns *)shared_turns)->started = 1;
}

static void finish(void)
{
    seL4_Word sent = ((volatile seL4_Word *)answers)[ANSWERER];
    bench_check(sent == samples.rounds + 1, "a notification was lost or came twice");
    samples_print(&samples, "notify_rt server=active_hi budget=share" ROW_FPU);
    start_turns();
}

/* The first notification only starts the counter. */
void notified(microkit_channel ch)
{
    seL4_Word after = limen_counter();
    if (before && !samples_add(&samples, after - before)) {
        finish();
        return;
    }
    before = limen_counter();
    microkit_notify(ch);
}
