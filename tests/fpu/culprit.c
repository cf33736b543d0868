/* Uses the unit on its parent's order, with or without permission. */

#include "instructions.h"
#include "orders.h"
#include "state.h"

#define PARENT 0

/* Memory shared with the parent; set by the tool. */
seL4_Word orders;

extern char _start[];

static struct state written;
static struct state found;

static void write_registers(void)
{
    state_fill(&written);
    state_write(&written);
}

/* The first start's stack serves for all, because a restart does not change the stack pointer. */
void init(void)
{
    struct orders *shared = (struct orders *)orders;
    seL4_Word stack;
    __asm__ volatile (READ_STACK_POINTER : "=r"(stack));
    shared->again = (seL4_Word)_start;
    shared->stack = shared->stack ? shared->stack : stack & ~15ul;
}

void notified(microkit_channel ch)
{
    struct orders *shared = (struct orders *)orders;
    (void)ch;
    shared->first_use = (seL4_Word)state_first_use;
    switch (shared->order) {
    case READ_INITIAL:
        state_read(&found);
        state_initial(&written);
        break;
    case WRITE:
        write_registers();
        found = written;
        break;
    case WRITE_UNDEFINED_READ:
        write_registers();
        __asm__ volatile (UNDEFINED_INSTRUCTION);
        state_read(&found);
        break;
    case READ_WRITTEN:
        state_read(&found);
        break;
    default:
        __asm__ volatile (UNDEFINED_INSTRUCTION);
        found = written;
        break;
    }
    shared->is_right = (seL4_Word)state_equal(&written, &found);
    microkit_notify(PARENT);
}
