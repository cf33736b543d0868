/* Texts of error codes, and the report of a program that cannot continue. */

#include "schedule.h"

#define LIMEN_CO_TEXT(name, text) [name] = text "\n",
static const char *const texts[] = { LIMEN_CO_FOR_EACH_ERROR(LIMEN_CO_TEXT) };

const char *limen_cothread_error_text(co_err_t error)
{
    return (unsigned int)error < co_num_errors ? texts[error] : "unknown error\n";
}

static void print_domain(void)
{
    for (int i = 0; i < MICROKIT_PD_NAME_LENGTH && microkit_name[i]; i++) {
        microkit_dbg_putc(microkit_name[i]);
    }
}

static void print_thread(const co_control_t *control, const co_tcb_t *cothread)
{
    if (!control || !cothread) {
        microkit_dbg_puts("root thread");
        return;
    }
    microkit_dbg_puts("cothread ");
    microkit_dbg_put32((seL4_Uint32)handle_of(control, cothread));
    if (cothread->name[0]) {
        microkit_dbg_puts(" '");
        microkit_dbg_puts(cothread->name);
        microkit_dbg_puts("'");
    }
}

void limen_cothread_panic(seL4_Word code, co_err_t error)
{
    print_domain();
    microkit_dbg_puts("|");
    print_thread(limen_co_library.control, limen_co_library.current);
    microkit_dbg_puts(": ");
    microkit_dbg_puts(limen_cothread_error_text(error));
    microkit_internal_crash((seL4_Error)code);
}
