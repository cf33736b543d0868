/* Asks both instances how far they came: the debugger has stopped one of them, and read the memory of the other. */

#include "test.h"

#define LEFT 1
#define RIGHT 2
#define VISITS 3

static seL4_Word visits(microkit_channel ch)
{
    microkit_ppcall(ch, microkit_msginfo_new(0, 0));
    return microkit_mr_get(0);
}

static void both_instances_continue_after_the_debugger(void)
{
    CHECK_EQUAL(visits(LEFT), VISITS);
    CHECK_EQUAL(visits(RIGHT), VISITS);
}

void init(void)
{
    RUN(both_instances_continue_after_the_debugger);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
