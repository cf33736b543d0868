/* Counting in shared memory: a step takes the same number of instructions in every program. */
#ifndef SHARES_COUNT_H
#define SHARES_COUNT_H

#include <microkit.h>

/* Indices in the shared page. */
#define HIGH 1
#define LOW 2
#define FULL 3
#define CLIENT 4
#define SERVER 5
/* Not a count: the longest time that the watcher did not run. */
#define LONGEST 6
/* The value that makes the watcher restart its measurement; the current gap does not count. */
#define NOT_YET (~(seL4_Word)0)

/* Counts the given number of steps. */
static inline __attribute__((noinline)) void count_steps(seL4_Word counts, seL4_Word place, seL4_Word steps)
{
    volatile seL4_Word *count = (volatile seL4_Word *)counts + place;
    while (steps) {
        *count += 1;
        steps--;
        /* Hides `steps` from the compiler, so that it does not merge several steps into fewer instructions. */
        __asm__ volatile ("" : "+r"(steps));
    }
}

#endif /* SHARES_COUNT_H */
