/* Switches the driver's trace on for a while, then all traces. */

#include <limen.h>
#include <microkit.h>

#define CLIENT 0
#define DRIVER_TRACE 0
#define TRACES 1

/* The client has a higher priority, so it has finished when the signal returns. */
static void let_client_work(const char *heading)
{
    microkit_dbg_puts(heading);
    microkit_notify(CLIENT);
}

void init(void)
{
    let_client_work("console: nobody looks\n");
    if (limen_key_enable(DRIVER_TRACE) != seL4_NoError) {
        microkit_dbg_puts("console: the trace cannot be switched on\n");
    }
    let_client_work("console: the trace is on\n");
    if (limen_key_disable(DRIVER_TRACE) != seL4_NoError) {
        microkit_dbg_puts("console: the trace cannot be switched off\n");
    }
    if (limen_key_enable(TRACES) != seL4_NoError) {
        microkit_dbg_puts("console: the traces cannot be switched on\n");
    }
    let_client_work("console: all traces are on\n");
    if (limen_key_disable(TRACES) != seL4_NoError) {
        microkit_dbg_puts("console: the traces cannot be switched off\n");
    }
    let_client_work("console: that was enough\n");
    microkit_dbg_puts("LIMEN|DONE\n");
}

void notified(microkit_channel ch)
{
    (void)ch;
}
