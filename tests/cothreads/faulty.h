/* A child that runs two cothreads; the second faults. */
#ifndef TESTS_FAULTY_H
#define TESTS_FAULTY_H

#include <libmicrokitco.h>

#define STACK_BYTES 0x2000

/* Set by the tool. */
uintptr_t controller;

static char stacks[4][STACK_BYTES] __attribute__((aligned(16)));

static void idle(void)
{
    microkit_cothread_block();
}

static void run_with_idler(client_entry_t entry, const char *name)
{
    microkit_cothread_t handle;
    microkit_cothread_init(controller, STACK_BYTES, stacks[0], stacks[1], stacks[2], stacks[3]);
    microkit_cothread_spawn(idle, true, &handle, 0);
    microkit_cothread_spawn(entry, true, &handle, 0);
    microkit_cothread_set_name(handle, name);
    microkit_cothread_run();
}

void init(void)
{
}

#endif /* TESTS_FAULTY_H */
