/* Resumes its child, which runs on another processor, after the instruction that it could not execute. */

#include <limen.h>
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
    (void)limen_counter();
    if (microkit_msginfo_get_label(message) != seL4_Fault_UserException) {
        return seL4_False;
    }
    microkit_mr_set(seL4_UserException_FaultIP, microkit_mr_get(seL4_UserException_FaultIP) + 4);
    *answer = microkit_msginfo_new(0, 1);
    return seL4_True;
}
