/* A child that misuses the later interface; the channel selects the misuse. */

#include <libmicrokitco.h>
#include "misuse.h"

#define STACK_BYTES 0x1000

static char stacks[4][STACK_BYTES] __attribute__((aligned(16)));
static co_control_t controller;

void init(void)
{
}

void notified(microkit_channel ch)
{
    stack_ptrs_arg_array_t addresses;
    for (int i = 0; i < 4; i++) {
        addresses[i] = (uintptr_t)stacks[i];
    }
    if (ch == EARLY) {
        microkit_cothread_yield();
    }
    microkit_cothread_init(&controller, STACK_BYTES, addresses);
    if (ch == DESTROYING) {
        microkit_cothread_destroy(0);
    }
    microkit_cothread_wait_on_channel(ch);
}
