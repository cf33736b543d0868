#include <microkit.h>
#include <libmicrokitco.h>
#include "stacks.h"

static co_control_t controller;

/* As programs for the later library have it. */
static void memzero(void *start, unsigned long count)
{
    for (unsigned long i = 0; i < count; i++) {
        ((volatile uint8_t *)start)[i] = 0;
    }
}

void init(void)
{
    memzero(&controller, sizeof(controller));
    stack_ptrs_arg_array_t addresses = { (uintptr_t)stacks[0], (uintptr_t)stacks[1] };
    microkit_cothread_init(&controller, STACK_BYTES, addresses);
    microkit_cothread_spawn(end, NULL);
    microkit_cothread_spawn(end, NULL);
    bool is_full = microkit_cothread_spawn(end, NULL) == LIBMICROKITCO_NULL_HANDLE;
    microkit_cothread_yield();
    if (is_full && ended == 2) {
        microkit_dbg_puts("LATER: two cothreads ran, a third was refused\n");
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
