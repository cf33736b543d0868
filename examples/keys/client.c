/* Requests two blocks from the driver for each signal. It tries to switch the trace on, but lacks the capability. Of its own
 * traces, one for each step, the description binds the second. */

#include <limen.h>
#include <limen/static_key.h>
#include <microkit.h>

#define DRIVER 0
#define SOME_KEY 0

LIMEN_STATIC_KEY_ARRAY_FALSE(steps, 2);

void init(void)
{
    if (limen_key_enable(SOME_KEY) != seL4_NoError) {
        microkit_dbg_puts("client: the trace is not mine to switch\n");
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
    for (seL4_Word block = 7; block < 9; block++) {
        if (limen_static_branch_unlikely(steps[0])) {
            microkit_dbg_puts("  client: a block is requested\n");
        }
        microkit_mr_set(0, block);
        microkit_ppcall(DRIVER, microkit_msginfo_new(0, 1));
        if (limen_static_branch_unlikely(steps[1])) {
            microkit_dbg_puts("  client: the block is here\n");
        }
    }
    microkit_dbg_puts("client: two blocks\n");
}
