/* Runs without end at the workers' priority, with its own register values, so that no worker runs alone. */

#include "held.h"

/* A word shared by the programs of this priority; set by the tool. */
seL4_Word turn;

static struct held held;

void init(void)
{
    for (seL4_Word seed = 0xd1570b; ; seed++) {
        held_fill(&held, seed);
        *(volatile seL4_Word *)turn = seed;
        hold_nothing(&held);
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
