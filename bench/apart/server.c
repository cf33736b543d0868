/* Answers every call with a label that is one higher. */

#include <microkit.h>

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    (void)ch;
    return microkit_msginfo_new(microkit_msginfo_get_label(request) + 1, 0);
}
