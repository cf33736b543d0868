/* Reports of the program's own errors, one line each on the debug console. */

#include "event_loop.h"

void limen_print_name(void)
{
    for (int i = 0; i < MICROKIT_PD_NAME_LENGTH && microkit_name[i]; i++) {
        microkit_dbg_putc(microkit_name[i]);
    }
}

static void print_quoted(seL4_Uint32 number)
{
    microkit_dbg_puts(" '");
    microkit_dbg_put32(number);
    microkit_dbg_puts("'\n");
}

void limen_report_channel(const char *function, microkit_channel ch)
{
    limen_print_name();
    microkit_dbg_puts(" ");
    microkit_dbg_puts(function);
    microkit_dbg_puts(": invalid channel given");
    print_quoted(ch);
}

void limen_report_ioport(const char *function, microkit_ioport id)
{
    limen_print_name();
    microkit_dbg_puts(" ");
    microkit_dbg_puts(function);
    microkit_dbg_puts(": invalid I/O Port ID given");
    print_quoted(id);
}

void limen_report_word(const char *function, seL4_Uint8 mr)
{
    limen_print_name();
    microkit_dbg_puts(" ");
    microkit_dbg_puts(function);
    microkit_dbg_puts(": invalid message word given");
    print_quoted(mr);
}

void limen_report_child(const char *trouble, microkit_child child)
{
    microkit_dbg_puts(trouble);
    print_quoted(child);
}

void limen_report_lost_signal(const char *function, microkit_channel ch)
{
    limen_print_name();
    microkit_dbg_puts(" ");
    microkit_dbg_puts(function);
    microkit_dbg_puts(": an earlier deferred signal is lost, replaced by channel");
    print_quoted(ch);
}
