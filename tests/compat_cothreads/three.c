#include <microkit.h>
#include <libmicrokitco.h>
#include "stacks.h"

#define ANSWER 7

static char controller[LIBMICROKITCO_CONTROLLER_SIZE];

void init(void)
{
    microkit_cothread_init((uintptr_t)controller, STACK_BYTES, stacks[0], stacks[1], stacks[2]);
    microkit_cothread_t handle;
    for (int i = 0; i < 3; i++) {
        microkit_cothread_spawn(end, true, &handle, 0);
    }
    bool is_full = microkit_cothread_spawn(end, true, &handle, 0) == co_err_spawn_max_cothreads_reached;
    microkit_cothread_yield();
    if (is_full && ended == 3) {
        microkit_dbg_puts("THREE: three cothreads ran, a fourth was refused\n");
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo msginfo)
{
    (void)ch;
    (void)msginfo;
    return microkit_msginfo_new(ANSWER, 0);
}
