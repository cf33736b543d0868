/* Cothreads that take turns.
 *
 * growth_cothreads: between the two reads every ready cothread yields once; the sample is the average of one yield and the
 * switch to the next cothread. */

#include <libmicrokitco.h>

#include "samples.h"

#define STACK_BYTES 0x1000
#define CONTROLLER_BYTES 0x800000

/* The stacks and the library's controller; set by the tool. */
seL4_Word stacks;
seL4_Word controller;

static struct samples samples;
static uintptr_t places[LIBMICROKITCO_MAX_COTHREADS];
static seL4_Word cothreads;
static seL4_Word turns;

static void take_turns(void)
{
    for (;;) {
        turns++;
        microkit_cothread_yield();
    }
}

static void measure(seL4_Word ready, const char *row);

#define MEASURE(number) measure(number, "growth_cothreads ready=" #number)

static void measure_all(void)
{
    MEASURE(2);
    MEASURE(10);
    MEASURE(100);
    MEASURE(1000);
    MEASURE(10000);
    bench_done();
}

static void spawn(client_entry_t entry)
{
    microkit_cothread_t handle;
    bench_check(microkit_cothread_spawn(entry, true, &handle, 0) == co_no_err, "a cothread was not spawned");
    cothreads++;
}

static seL4_Word everybody_yields(void)
{
    seL4_Word had = turns;
    seL4_Word before = limen_counter();
    microkit_cothread_yield();
    seL4_Word after = limen_counter();
    bench_check(turns - had == cothreads - 1, "a cothread had no turn, or several");
    return (after - before) / cothreads;
}

static void measure(seL4_Word ready, const char *row)
{
    while (cothreads < ready) {
        spawn(take_turns);
    }
    samples_start(&samples);
    while (samples_add(&samples, everybody_yields())) {
    }
    samples_print(&samples, row);
}

void init(void)
{
    for (seL4_Word i = 0; i < LIBMICROKITCO_MAX_COTHREADS; i++) {
        places[i] = stacks + i * STACK_BYTES;
    }
    bench_check(LIBMICROKITCO_CONTROLLER_SIZE <= CONTROLLER_BYTES, "the region for the library is too small");
    bench_check(microkit_cothread_init_array(controller, STACK_BYTES, places) == co_no_err, "the library did not start");
    spawn(measure_all);
    bench_check(microkit_cothread_run() == co_no_err, "the cothreads did not run");
}

void notified(microkit_channel ch)
{
    (void)ch;
}
