/* Lets its child go on whenever it faults, so that it faults again. */

#include <microkit.h>

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

seL4_Bool fault(microkit_child child, microkit_msginfo message, microkit_msginfo *answer)
{
    (void)child;
    (void)message;
    *answer = microkit_msginfo_new(0, 0);
    return seL4_True;
}
