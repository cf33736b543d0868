/* Does everything that a program with a probe does, without one. */

#include <limen.h>

#include "orders.h"

seL4_Word orders;

static limen_crossing_t crossing;

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
    struct orders *todo = (struct orders *)orders;
    switch (todo->order) {
    case ASK:
        todo->outcome = refusals();
        break;
    case CALL:
        /* To an empty slot: an error, which the answer says. */
        limen_cross_syscall(&crossing, 500, seL4_MessageInfo_new(0, 0, 0, 0), seL4_SysCall);
        todo->outcome = crossing.exit;
        break;
    case PAGE_FAULT:
        limen_cross_page_fault((limen_crossing_t *)todo->address, todo->address);
        break;
    case UNDEFINED:
        limen_cross_undefined((limen_crossing_t *)todo->address);
        break;
    default:
        limen_cross_breakpoint((limen_crossing_t *)todo->address);
        break;
    }
    todo->is_done = 1;
}
