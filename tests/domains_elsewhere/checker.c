/* Lets every kernel check its invariants after each event, then waits for ever. */

#include <limen.h>
#include <microkit.h>

#define SELF_CHECK 1

void init(void)
{
    limen_key_enable(SELF_CHECK);
}

void notified(microkit_channel channel)
{
    (void)channel;
}
