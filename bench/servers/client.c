/* What servers of driver frameworks do besides answering at once: they call other servers, notify, and defer.
 *
 * chain_rt: as ppc_rt, with a chain of servers, each of which calls the next one before it answers.
 *
 * chain_hop: the difference of the medians of chain_rt with two servers and with one.
 *
 * deep_hop: with hop=N, the same with N servers and with one less. The kernel leaves at most four calls open, so the fifth
 * server and each further one costs more.
 *
 * ppc_rt notifies=1: the server notifies another program, of a low priority, before it answers.
 *
 * notify_rt deferred=1: as notify_rt, but both programs notify with microkit_deferred_notify, and the kernel sends with
 * their next receive. That is two system calls and two switches. */

#include "samples.h"

#define PASSIVE 0
#define ACTIVE 1
#define NOTIFIER 2
#define ANSWERER 3

/* The other program's count of answers, by channel; set by the tool. */
seL4_Word answers;

static struct samples samples;
static seL4_Word before;

LIMEN_INLINE seL4_Word chain(microkit_channel first, seL4_Word hops)
{
    microkit_msginfo request = microkit_msginfo_new(hops, 0);
    seL4_Word start = limen_counter();
    microkit_msginfo answer = microkit_ppcall(first, request);
    seL4_Word end = limen_counter();
    bench_check(microkit_msginfo_get_label(answer) == hops - 1, "a call did not pass all servers");
    return end - start;
}

/* Returns the median. */
LIMEN_INLINE seL4_Word measure_chain(const char *row, microkit_channel first, seL4_Word hops)
{
    samples_start(&samples);
    while (samples_add(&samples, chain(first, hops))) {
    }
    samples_print(&samples, row);
    return samples.values[SAMPLES / 2];
}

static void measure_notifier(void)
{
    samples_start(&samples);
    seL4_Word cost;
    do {
        microkit_msginfo request = microkit_msginfo_new(samples.rounds, 0);
        seL4_Word start = limen_counter();
        microkit_msginfo answer = microkit_ppcall(NOTIFIER, request);
        cost = limen_counter() - start;
        bench_check(microkit_msginfo_get_label(answer) == samples.rounds, "a call brought back a wrong label");
    } while (samples_add(&samples, cost));
    samples_print(&samples, "ppc_rt server=passive notifies=1" ROW_FPU);
}

#define MEASURE_CHAINS(servers, first) \
    do { \
        seL4_Word one = measure_chain("chain_rt servers=" servers " hops=1" ROW_FPU, first, 1); \
        seL4_Word two = measure_chain("chain_rt servers=" servers " hops=2" ROW_FPU, first, 2); \
        measure_chain("chain_rt servers=" servers " hops=3" ROW_FPU, first, 3); \
        samples_print_one("chain_hop servers=" servers ROW_FPU, two - one); \
        seL4_Word four = measure_chain("chain_rt servers=" servers " hops=4" ROW_FPU, first, 4); \
        seL4_Word five = measure_chain("chain_rt servers=" servers " hops=5" ROW_FPU, first, 5); \
        seL4_Word seven = measure_chain("chain_rt servers=" servers " hops=7" ROW_FPU, first, 7); \
        seL4_Word eight = measure_chain("chain_rt servers=" servers " hops=8" ROW_FPU, first, 8); \
        samples_print_one("deep_hop servers=" servers " hop=5" ROW_FPU, five - four); \
        samples_print_one("deep_hop servers=" servers " hop=8" ROW_FPU, eight - seven); \
    } while (0)

void init(void)
{
    MEASURE_CHAINS("passive", PASSIVE);
    MEASURE_CHAINS("active", ACTIVE);
    measure_notifier();
    samples_start(&samples);
    microkit_notify(ANSWERER);
}

static void finish(void)
{
    seL4_Word sent = ((volatile seL4_Word *)answers)[ANSWERER];
    bench_check(sent == samples.rounds + 1, "a notification was lost or came twice");
    samples_print(&samples, "notify_rt server=active_hi deferred=1" ROW_FPU);
    bench_done();
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
    microkit_deferred_notify(ch);
}
