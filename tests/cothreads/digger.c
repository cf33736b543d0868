/* Its cothread overflows its stack. */

#include "faulty.h"

static void dig(void)
{
    *(volatile uintptr_t *)stacks[1] = 7;
    microkit_cothread_wait_on_channel(1);
}

void notified(microkit_channel ch)
{
    (void)ch;
    run_with_idler(dig, "digger");
}
