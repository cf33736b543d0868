/* Calls a server that never receives again, after a signal that no program takes. */

#include <microkit.h>
#include "print.h"

void init(void)
{
    print("all others wait\n");
    microkit_notify(2);
    microkit_ppcall(1, microkit_msginfo_new(0, 0));
}

void notified(microkit_channel ch)
{
    (void)ch;
}
