/* Returns the counter to callers, and answers every notification with one. */
#include <microkit.h>
#include <limen.h>

void init(void)
{
}

void notified(microkit_channel ch)
{
    microkit_notify(ch);
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo msginfo)
{
    (void)ch;
    (void)msginfo;
    microkit_mr_set(0, limen_counter());
    return microkit_msginfo_new(0, 1);
}
