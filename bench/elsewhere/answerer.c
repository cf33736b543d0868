/* Reads the counter and answers every notification with a notification. */

#include <limen.h>
#include <microkit.h>

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)limen_counter();
    microkit_notify(ch);
}
