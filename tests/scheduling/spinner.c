/* Runs without end once started, counts its turns, and signals the tester after enough of them. */

#include "turns.h"

/* Set by the tool; the channel to the tester is the number of the spinner. */
seL4_Word turns;

void init(void)
{
}

void notified(microkit_channel self)
{
    struct turns *shared = (struct turns *)turns;
    for (;;) {
        if (shared->last == self) {
            continue;
        }
        shared->last = self;
        if (++shared->count[self] == TURNS) {
            microkit_notify(self);
        }
    }
}
