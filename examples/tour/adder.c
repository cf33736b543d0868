/* An active server: it has time of its own, and spends it when somebody calls. */

#include <microkit.h>

#include "say.h"

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

/* Message words 0 and 1 in, their sum in message word 0 out. */
microkit_msginfo protected(microkit_channel ch, microkit_msginfo msginfo)
{
    (void)ch;
    (void)msginfo;
    unsigned long sum = microkit_mr_get(0) + microkit_mr_get(1);
    say("somebody called me; I add.");
    /* Saying something was a call, too, and used the message words: the result goes in last. */
    microkit_mr_set(0, sum);
    return microkit_msginfo_new(0, 1);
}
