/* Answers with the room of a name, or with 0 if the name has none. */

#include <microkit.h>

#define KNOWN 1
#define ROOM 17

void init(void)
{
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo msginfo)
{
    (void)ch;
    microkit_mr_set(0, microkit_msginfo_get_label(msginfo) == KNOWN ? ROOM : 0);
    return microkit_msginfo_new(0, 1);
}

void notified(microkit_channel ch)
{
    (void)ch;
}
