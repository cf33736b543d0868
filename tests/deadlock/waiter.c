/* Waits for a notification that never comes. */

#include <limen.h>

void init(void)
{
    limen_key_inc(0);
}

void notified(microkit_channel ch)
{
    (void)ch;
}
