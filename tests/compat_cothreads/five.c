#include <microkit.h>
#include <libmicrokitco.h>
#include "stacks.h"

#define THREE 2
#define ANSWER 7

static char controller[LIBMICROKITCO_CONTROLLER_SIZE];

void init(void)
{
    microkit_cothread_init((uintptr_t)controller, STACK_BYTES, stacks[0], stacks[1], stacks[2], stacks[3], stacks[4]);
    microkit_cothread_t handle;
    for (int i = 0; i < 5; i++) {
        microkit_cothread_spawn(end, true, &handle, 0);
    }
    microkit_cothread_yield();
    if (ended == 5) {
        microkit_dbg_puts("FIVE: five cothreads ran\n");
    }
    if (microkit_msginfo_get_label(microkit_ppcall(THREE, microkit_msginfo_new(0, 0))) == ANSWER) {
        microkit_dbg_puts("FIVE: a domain with pp answered\n");
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
