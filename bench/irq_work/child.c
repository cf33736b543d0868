/* A child whose faults wipe memory. Its parent restarts it after each. One instance never runs, but is reset. */

#include "bad_address.h"
#include "round.h"

seL4_Word round_base;

/* The data that a reset restores, besides the stack. */
static volatile char data[3 * 4096] = { 1 };

void init(void)
{
    (void)data[0];
    round_begin();
    *(volatile seL4_Word *)BAD_ADDRESS = 0;
}

void notified(microkit_channel ch)
{
    (void)ch;
}
