/* The workers' parent: resumes them after faults, and ends the suite when all of them have finished. */

#include "held.h"
#include "test.h"
#include <limen.h>

#define CHILDREN 3
#define SELF_CHECK 9

static struct held held;
static seL4_Word seed = 0xc011ec7;
static int done;

void init(void)
{
    for (seL4_Word child = 0; child < CHILDREN; child++) {
        CHECK_EQUAL(held_set_by_parent(child), 0);
    }
    CHECK_EQUAL(limen_key_enable(SELF_CHECK), seL4_NoError);
}

void notified(microkit_channel ch)
{
    (void)ch;
    if (++done == CHILDREN) {
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
