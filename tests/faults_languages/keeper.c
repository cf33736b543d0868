/* The parent of all culprits: forgets their faults, and ends the run after the last one. */

#include "test.h"

/* Children have the ids from 0. */
#define CULPRITS 8

static seL4_Word faults;
static seL4_Word faulted;

static void every_culprit_faulted_once(void)
{
    CHECK_EQUAL(faults, CULPRITS);
    CHECK_EQUAL(faulted, (1ul << CULPRITS) - 1);
}

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

seL4_Bool fault(microkit_child child, microkit_msginfo message, microkit_msginfo *answer)
{
    (void)message;
    (void)answer;
    faults++;
    faulted |= 1ul << child;
    if (faults == CULPRITS) {
        RUN(every_culprit_faulted_once);
        suite_end();
    }
    return seL4_False;
}
