/* Debug console output and error handling. */
#ifndef SAY_H
#define SAY_H

#include <microkit.h>
#include <libmicrokitco.h>

static inline void say(const char *text)
{
    microkit_dbg_puts(text);
}

static inline void say_number(unsigned long number)
{
    microkit_dbg_put32((seL4_Uint32)number);
}

/* An error here is a bug in the program. */
static inline void must(co_err_t error)
{
    if (error != co_no_err) {
        say(microkit_cothread_pretty_error(error));
        microkit_internal_crash((seL4_Error)error);
    }
}

#endif /* SAY_H */
