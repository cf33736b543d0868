/* The workers' parent: lets them go on after a fault, and ends the suite when all of them are done. */

#include "held.h"
#include "test.h"

static struct held held;
static seL4_Word seed = 0xc011ec7;
static int done;

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
    if (++done == 3) {
        suite_end();
    }
}

seL4_Bool fault(microkit_child child, microkit_msginfo message, microkit_msginfo *answer)
{
    (void)child;
    held_fill(&held, ++seed);
    hold_nothing(&held);
    microkit_mr_set(0, microkit_mr_get(0) + 4);
    *answer = microkit_msginfo_new(0, 1);
    return microkit_msginfo_get_label(message) == seL4_Fault_UserException;
}
