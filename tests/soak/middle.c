/* Passes each call on to a server on another processor. */

#include "shared.h"
#include "own_fpu.h"
#include "random.h"

seL4_Word shared;

/* The channel to the server, for the walker of channel 0. */
#define SERVER 10

void init(void)
{
    random_diverge(own_number());
    fpu_write();
}

void notified(microkit_channel channel)
{
    (void)channel;
}

microkit_msginfo protected(microkit_channel channel, microkit_msginfo info)
{
    fpu_write();
    microkit_msginfo answer = microkit_ppcall(SERVER + channel, info);
    all()->servers[own_number()].wrong_fpu += fpu_differs();
    return answer;
}
