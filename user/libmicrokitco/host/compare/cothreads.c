/* This library: the switch alone, and yield with few and many cothreads. */

#include <stdlib.h>
#include "bare.h"

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

void cothreads_bare(long count)
{
    bounce_bare(count);
}

static void start_library(void)
{
    static char controller[LIBMICROKITCO_CONTROLLER_SIZE];
    static uintptr_t stacks[LIMEN_CO_COTHREADS];
    static char *memory;
    const size_t bytes = MINIMUM_STACK_SIZE;
    memory = memory ? memory : malloc(bytes * LIMEN_CO_COTHREADS);
    for (size_t i = 0; i < LIMEN_CO_COTHREADS; i++) {
        stacks[i] = (uintptr_t)memory + i * bytes;
    }
    if (microkit_cothread_init_array((uintptr_t)controller, bytes, stacks) != co_no_err) {
        abort();
    }
}

static void yield_for_ever(void)
{
    for (;;) {
        microkit_cothread_yield();
    }
}

static long started;

static void start(long cothreads)
{
    microkit_cothread_t handle;
    limen_host_reset();
    start_library();
    for (long i = 0; i < cothreads; i++) {
        microkit_cothread_spawn(yield_for_ever, true, &handle, 0);
    }
    started = cothreads;
}

void cothreads_start_one(void)
{
    start(1);
}

void cothreads_start_ten_thousand(void)
{
    start(LIMEN_CO_COTHREADS);
}

void cothreads_yield(long count)
{
    for (long i = 0; i < count; i += started + 1) {
        microkit_cothread_yield();
    }
}
