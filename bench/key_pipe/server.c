/* Echoes the message past its branches. */

#include "pipe.h"

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
    switch_flag_on();
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    (void)ch;
    return pass(request);
}
