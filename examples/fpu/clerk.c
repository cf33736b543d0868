/* Never uses floating point, and never causes a switch of floating-point registers. */

#include <microkit.h>

static seL4_Uint32 letters;

void init(void)
{
}

void notified(microkit_channel ch)
{
    letters += 7;
    microkit_dbg_puts("clerk: letters sorted: ");
    microkit_dbg_put32(letters);
    microkit_dbg_puts("\n");
    microkit_notify(ch);
}
