/* Uses the unit when its parent says so, whether it may or not. */

#include "instructions.h"
#include "orders.h"
#include "state.h"

#define PARENT 0

/* Memory shared with the parent; set by the tool. */
seL4_Word orders;

static struct state written;
static struct state found;

void init(void)
{
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
        state_fill(&written);
        state_write(&written);
        found = written;
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
