/* Compiled with the options of `five`, and linked with the library of `three`. It runs last. */
#include <microkit.h>
#include <libmicrokitco.h>
#include "stacks.h"

static char controller[LIBMICROKITCO_CONTROLLER_SIZE];

void init(void)
{
    co_err_t error = microkit_cothread_init((uintptr_t)controller, STACK_BYTES, stacks[0], stacks[1], stacks[2],
                                            stacks[3], stacks[4]);
    microkit_dbg_puts("MIXED: ");
    microkit_dbg_puts(microkit_cothread_pretty_error(error));
    microkit_dbg_puts("LIMEN|DONE\n");
    (void)end;
}

void notified(microkit_channel ch)
{
    (void)ch;
}
