/* The failure function of the C library's assert macro. */

#include "event_loop.h"

void __assert_fail(const char *expression, const char *file, int line, const char *function);

__attribute__((weak)) void __assert_fail(const char *expression, const char *file, int line, const char *function)
{
    limen_print_name();
    microkit_dbg_puts("|assert failed: ");
    microkit_dbg_puts(expression);
    microkit_dbg_puts(" ");
    microkit_dbg_puts(file);
    microkit_dbg_puts(":");
    microkit_dbg_put32((seL4_Uint32)line);
    microkit_dbg_puts(" ");
    microkit_dbg_puts(function);
    microkit_dbg_puts("\n");
    microkit_internal_crash(seL4_NoError);
}
