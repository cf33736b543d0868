/* Runs a cothread, which faults when the tester signals it. */

#include <libmicrokitco.h>
#include "work.h"

#define TESTER 0
#define STACK_BYTES 0x1000

seL4_Word work;

static char stacks[2][STACK_BYTES] __attribute__((aligned(16)));
/* In a region: a reset keeps what the life before has left here. */
uintptr_t controller;

static struct work *found(void)
{
    return (struct work *)work;
}

static void run_until_signal(void)
{
    found()->runs++;
    microkit_cothread_wait_on_channel(TESTER);
    __builtin_trap();
}

void init(void)
{
    microkit_cothread_t handle = MICROKITCO_ROOT_THREAD;
    size_t used = 0;
    co_err_t error = microkit_cothread_init(controller, STACK_BYTES, stacks[0], stacks[1]);
    if (error != co_no_err) {
        microkit_dbg_puts(microkit_cothread_pretty_error(error));
    }
    found()->is_refused = error == co_err_init_restarted;
    found()->is_spawned = microkit_cothread_spawn(run_until_signal, true, &handle, 0) == co_no_err;
    found()->handle = (seL4_Word)handle;
    microkit_cothread_run();
    microkit_cothread_stack_used(1, &used);
    found()->stack_used = used;
    found()->lives++;
    microkit_notify(TESTER);
}

void notified(microkit_channel ch)
{
    microkit_cothread_recv_ntfn(ch);
}
