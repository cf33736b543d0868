/* A program that does nothing wrong: answers calls and notifications. */

#include <microkit.h>

void init(void)
{
}

void notified(microkit_channel ch)
{
    microkit_notify(ch);
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    (void)ch;
    microkit_mr_set(0, microkit_mr_get(0) + 1);
    return request;
}
