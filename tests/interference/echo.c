/* Answers with the argument plus one. */

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
    microkit_mr_set(0, microkit_mr_get(0) + 1);
    return request;
}
