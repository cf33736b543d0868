/* A passive server that counts the calls of its life. */

#include <microkit.h>

static seL4_Word calls;

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo msginfo)
{
    (void)ch;
    (void)msginfo;
    microkit_mr_set(0, ++calls);
    return microkit_msginfo_new(0, 1);
}
