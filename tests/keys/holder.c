/* Holds keys and prints, on the tester's orders. */

#include <limen.h>

#include "orders.h"

seL4_Word orders;

void init(void)
{
}

static seL4_Error carry_out(enum order order, seL4_Word key)
{
    switch (order) {
    case ENABLE:
        return limen_key_enable(key);
    case DISABLE:
        return limen_key_disable(key);
    case INC:
        return limen_key_inc(key);
    case DEC:
        return limen_key_dec(key);
    default:
        /* The library's own functions do nothing in release. */
        limen_trap_plain(seL4_SysDebugPutChar, '\n');
        return seL4_NoError;
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
    struct orders *todo = (struct orders *)orders;
    todo->outcome = (seL4_Word)carry_out(todo->order, todo->key);
    todo->is_done = 1;
}
