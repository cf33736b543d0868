/* The parent of the victims: lets them go on behind the undefined instruction that each of them executes on purpose. */

#include "held.h"
#include "watch.h"

#define CHILDREN 6

/* Set by the tool. */
seL4_Word watch;

void init(void)
{
    for (seL4_Word child = 0; child < CHILDREN; child++) {
        ((struct watch *)watch)->faults += held_set_by_parent(child);
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}

seL4_Bool fault(microkit_child child, microkit_msginfo message, microkit_msginfo *answer)
{
    (void)child;
    if (microkit_msginfo_get_label(message) != seL4_Fault_UserException) {
        ((struct watch *)watch)->faults++;
        return seL4_False;
    }
    microkit_mr_set(0, microkit_mr_get(0) + 4);
    *answer = microkit_msginfo_new(0, 1);
    return seL4_True;
}
