/* Has a ring of samples, and does with it what its parent orders. */

#include "garbage.h"
#include "orders.h"
#include "scribe.h"

static struct scribe *const todo = (struct scribe *)SCRIBE_ADDRESS;
static const limen_ring_line_t *const ring = (const limen_ring_line_t *)SCRIBES_RING;

#define PARENT 0

static void tell(void)
{
    todo->count = ring[0][LIMEN_RING_COUNT];
    microkit_notify(PARENT);
}

static void expect(seL4_Error error)
{
    todo->errors += error != seL4_NoError;
}

static void arm(limen_probe_event_t event, seL4_Word first, seL4_Word last, seL4_Word options)
{
    expect(limen_probe_arm(event, first, last, options | LIMEN_PROBE_EVERY));
}

static void follow(seL4_Word count)
{
    limen_crossing_t crossing = { 0 };
    expect(limen_probe_start());
    arm(limen_probe_undefined, (seL4_Word)limen_cross_undefined, (seL4_Word)limen_crossed_undefined, LIMEN_PROBE_EXIT);
    for (seL4_Word i = 0; i < count; i++) {
        limen_cross_undefined(&crossing);
    }
}

/* The registers of every return may be lost where they are stamped, so these are not. */
static void stop_within_an_event(void)
{
    expect(limen_probe_start());
    arm(limen_probe_system_call, 0, ~0ul, 0);
    expect(limen_probe_stop());
    todo->outcome = ring[0][LIMEN_RING_COUNT];
    microkit_notify(PARENT);
}

static void garbage(seL4_Word value)
{
    expect(limen_probe_start());
    arm(limen_probe_system_call, (seL4_Word)garbage_syscall_end, (seL4_Word)garbage_syscall_end, LIMEN_PROBE_EXIT);
    seL4_Word is_stamped = garbage_syscall(value, seL4_SysYield) != 0;
    todo->outcome = is_stamped && ring[1][LIMEN_RING_RECORD + 1] == value;
    expect(limen_probe_stop());
}

/* The address of the fault is also where the program continues: it executes no instruction more. */
static void loop(void)
{
    expect(limen_probe_start());
    arm(limen_probe_page_fault, UNMAPPED, UNMAPPED, 0);
    ((void (*)(void))UNMAPPED)();
}

void init(void)
{
}

void notified(microkit_channel ch)
{
    limen_crossing_t crossing = { 0 };
    (void)ch;
    todo->errors = 0;
    if (!todo->stack) {
        todo->stack = ((seL4_Word)__builtin_frame_address(0) - 256) & ~15ul;
    }
    switch (todo->order) {
    case SCRIBE_WRITE:
        *(volatile seL4_Word *)todo->value = 1;
        break;
    case SCRIBE_READ:
        todo->outcome = *(volatile seL4_Word *)todo->value;
        break;
    case SCRIBE_FOLLOW:
        follow(todo->value);
        break;
    case SCRIBE_CAUSE:
        limen_cross_undefined(&crossing);
        break;
    case SCRIBE_START:
        expect(limen_probe_start());
        break;
    case SCRIBE_ANYWHERE:
        stop_within_an_event();
        return;
    case SCRIBE_GARBAGE:
        garbage(todo->value);
        break;
    default:
        loop();
        break;
    }
    tell();
}
