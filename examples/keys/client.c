/* Requests two blocks from the driver for each signal. It tries to switch the trace on, but lacks the capability. */

#include <limen.h>
#include <microkit.h>

#define DRIVER 0
#define SOME_KEY 0

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
        microkit_mr_set(0, block);
        microkit_ppcall(DRIVER, microkit_msginfo_new(0, 1));
    }
    microkit_dbg_puts("client: two blocks\n");
}
