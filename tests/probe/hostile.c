/* Acts like a program with a probe, but has none. */

#include <limen.h>

#include "garbage.h"
#include "orders.h"

void init(void)
{
}

static seL4_Word refusals(void)
{
    limen_probe_sample_t sample;
    seL4_Word refused = limen_probe_start() == seL4_InvalidCapability;
    refused += limen_probe_arm_syscall() == seL4_InvalidCapability;
    refused += limen_probe_read(&sample) == seL4_InvalidCapability;
    refused += limen_probe_stop() == seL4_InvalidCapability;
    return refused;
}

void notified(microkit_channel ch)
{
    (void)ch;
    struct orders *todo = (struct orders *)ORDERS_ADDRESS;
    if (!todo->stack) {
        todo->stack = ((seL4_Word)__builtin_frame_address(0) - 256) & ~15ul;
    }
    switch (todo->order) {
    case ASK:
        todo->outcome = refusals();
        break;
    case SYSCALL:
        todo->outcome = garbage_syscall(todo->value, seL4_SysYield);
        break;
    case PAGE_FAULT:
        garbage_page_fault(todo->value, UNMAPPED);
        break;
    case UNDEFINED:
        garbage_undefined(todo->value);
        break;
    default:
        garbage_breakpoint(todo->value);
        break;
    }
    todo->is_done = 1;
}
