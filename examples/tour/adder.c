/* An active server: it serves calls on its own scheduling context. */

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
    /* Set the result last, because `say` is a call and uses the message words. */
    microkit_mr_set(0, sum);
    return microkit_msginfo_new(0, 1);
}
