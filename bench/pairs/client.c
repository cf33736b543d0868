/* A client on each processor, with a passive server there.
 *
 * pairs_call: a protected call on processor 0 while so many pairs work, this one included. The others call, signal and yield.
 * Each client waits for its next period when it yields, so that the emulator changes between processors often, wherever they are.
 * A call must take the same instructions for each number of pairs. */

#include "samples.h"
#include "together.h"

#define SERVER 0
#define PAIRS 4

/* The address of the rounds of each client; set by the tool. */
seL4_Word rounds;

static struct samples samples;

static seL4_Word *rounds_of(seL4_Word client)
{
    return (seL4_Word *)rounds + client * 8;
}

static void call(void)
{
    static seL4_Word serial;
    microkit_msginfo answer = microkit_ppcall(SERVER, microkit_msginfo_new(++serial, 0));
    bench_check(microkit_msginfo_get_label(answer) == serial + 1, "a call brought back a wrong answer");
}

static seL4_Word timed_call(void)
{
    seL4_Word before = limen_counter();
    microkit_msginfo answer = microkit_ppcall(SERVER, microkit_msginfo_new(1, 0));
    seL4_Word after = limen_counter();
    bench_check(microkit_msginfo_get_label(answer) == 2, "a call brought back a wrong answer");
    seL4_Yield();
    return after - before;
}

static const char *const rows[PAIRS] = {
    "pairs_call pairs=1" ROW_FPU, "pairs_call pairs=2" ROW_FPU, "pairs_call pairs=3" ROW_FPU, "pairs_call pairs=4" ROW_FPU,
};

/* Starts another pair, and sleeps until it works: only then does the emulator run its processor. */
static void start(seL4_Word other)
{
    seL4_Word channels;
    microkit_notify((microkit_channel)other);
    seL4_Wait(LIMEN_INPUT_CAP, &channels);
    bench_check(load(rounds_of(other)) != 0, "another program woke the client");
}

/* Measures while this many other pairs work. Returns the median. */
static seL4_Word measure(seL4_Word others)
{
    seL4_Word before[PAIRS];
    for (seL4_Word other = 1; other <= others; other++) {
        before[other] = load(rounds_of(other));
    }
    samples_start(&samples);
    while (samples_add(&samples, timed_call())) {
    }
    for (seL4_Word other = 1; other <= others; other++) {
        bench_check(load(rounds_of(other)) > before[other] + 1, "another pair did not work meanwhile");
    }
    samples_print(&samples, rows[others]);
    return samples.values[SAMPLES / 2];
}

static void measure_all(void)
{
    seL4_Word alone = measure(0);
    for (seL4_Word other = 1; other < PAIRS; other++) {
        start(other);
        bench_check(measure(other) == alone, "a call takes longer while other processors work");
    }
    bench_done();
}

void init(void)
{
    if (own_number() == 0) {
        measure_all();
    }
}

/* Another client works until the end of the run. */
void notified(microkit_channel ch)
{
    for (seL4_Word round = 1;; round++) {
        call();
        microkit_notify(SERVER);
        seL4_Yield();
        store(rounds_of(own_number()), round);
        if (round == 1) {
            microkit_notify(ch);
        }
    }
}
