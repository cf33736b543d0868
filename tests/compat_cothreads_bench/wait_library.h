/* Benchmarks 5 and 6: a notification and its answer, for which a cothread waits. Its entry function returns a value. */
#include <libmicrokitco.h>
#include "passes.h"

#define SERVER 1

static char controller[LIBMICROKITCO_CONTROLLER_SIZE];
static char stack[0x2000] __attribute__((aligned(16)));

static size_t wait(void)
{
    seL4_Word start;
    do {
        start = limen_counter();
        microkit_notify(SERVER);
        microkit_cothread_wait_on_channel(SERVER);
    } while (add_pass(limen_counter() - start));
    print_result(NAME);
    return passes;
}

void init(void)
{
    microkit_cothread_t handle;
    co_err_t error = microkit_cothread_init((uintptr_t)controller, sizeof(stack), stack);
    if (error != co_no_err || microkit_cothread_spawn(wait, true, &handle, 0) != co_no_err) {
        microkit_dbg_puts(microkit_cothread_pretty_error(error));
        return;
    }
    microkit_cothread_yield();
}

void notified(microkit_channel ch)
{
    microkit_cothread_recv_ntfn(ch);
}
