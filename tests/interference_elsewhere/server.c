/* Answers with the argument plus one, and how often it was called. */

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
    static seL4_Word calls;
    (void)ch;
    microkit_mr_set(0, microkit_mr_get(0) + 1);
    microkit_mr_set(1, ++calls);
    return microkit_msginfo_new(microkit_msginfo_get_label(request), 2);
}
