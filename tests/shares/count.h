/* Counting in shared memory: a step takes the same number of instructions in every program. */
#ifndef SHARES_COUNT_H
#define SHARES_COUNT_H

#include <microkit.h>

/* Places in the shared page. */
#define HIGH 1
#define LOW 2
#define FULL 3
#define CLIENT 4
#define SERVER 5
/* Not a count: the longest time that the watcher did not run. */
#define LONGEST 6
/* What is there when the watcher is to begin anew: the time that it does not run just now does not count. */
#define NOT_YET (~(seL4_Word)0)

/* Counts so many steps. */
static inline __attribute__((noinline)) void count_steps(seL4_Word counts, seL4_Word place, seL4_Word steps)
{
    volatile seL4_Word *count = (volatile seL4_Word *)counts + place;
    while (steps) {
        *count += 1;
        steps--;
        /* How many are left may be another number now: so nobody does several steps with fewer instructions. */
        __asm__ volatile ("" : "+r"(steps));
    }
}

#endif /* SHARES_COUNT_H */
