/* Default entry points, for programs that do not supply them: each reports that it is missing and stops the program. */

#include "event_loop.h"

static void crash_without(const char *entry_point)
{
    limen_print_name();
    microkit_dbg_puts(" is missing the '");
    microkit_dbg_puts(entry_point);
    microkit_dbg_puts("' entry point\n");
    microkit_internal_crash(seL4_NoError);
}

__attribute__((weak)) microkit_msginfo protected(microkit_channel ch, microkit_msginfo msginfo)
{
    (void)ch;
    crash_without("protected");
    return msginfo;
}

__attribute__((weak)) seL4_Bool fault(microkit_child child, microkit_msginfo msginfo, microkit_msginfo *reply_msginfo)
{
    (void)child;
    (void)msginfo;
    (void)reply_msginfo;
    crash_without("fault");
    return seL4_False;
}
