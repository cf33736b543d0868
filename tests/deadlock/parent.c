/* Calls its child, so it cannot receive the child's fault. */

#include <microkit.h>

void init(void)
{
    microkit_ppcall(1, microkit_msginfo_new(0, 0));
}

void notified(microkit_channel ch)
{
    (void)ch;
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo msginfo)
{
    (void)ch;
    return msginfo;
}
