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

/* Counts so many steps. */
static inline __attribute__((noinline)) void count_steps(seL4_Word counts, seL4_Word place, seL4_Word steps)
{
    volatile seL4_Word *count = (volatile seL4_Word *)counts + place;
    while (steps--) {
        *count += 1;
    }
}

#endif /* SHARES_COUNT_H */
