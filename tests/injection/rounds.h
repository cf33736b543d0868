/* Rounds, in each of which the debugger may stop the machine: between `round_begins` and `round_ends`. */
#ifndef ROUNDS_H
#define ROUNDS_H

#include <limen.h>

/* Data at an address that the debugger's side knows. */
extern struct rounds {
    /* Distinguishes this program from others with data at the same address. */
    seL4_Word mark;
    /* The number of rounds of this test. */
    volatile seL4_Word left;
    /* Where the count of interrupts served so far is. The debugger reads it when a round begins and ends: the program's own
     * copy would miss one that comes between the copy and `round_ends`. */
    volatile unsigned long *interrupts;
    /* Digests that differed from their first values in the last round, one bit each. */
    volatile seL4_Word changed;
} rounds;

void round_begins(void);
void round_ends(void);

#endif /* ROUNDS_H */
