/* Memory that all programs of this suite share. Only processors that run at the same time make progress: none of the loops
 * enters the kernel. */
#ifndef PROCESSORS_SHARED_H
#define PROCESSORS_SHARED_H

#include "together.h"

/* Processors of the machine. */
#define PROCESSORS 4

struct shared {
    /* Counts how often each program has passed its loop. */
    seL4_Word runner_rounds[PROCESSORS];
    seL4_Word twin_rounds[PROCESSORS];
    /* The processor whose turn it is. */
    seL4_Word turn;
    /* How often each has had its turn. */
    seL4_Word turns[PROCESSORS];
    /* Runners leave their loop. */
    seL4_Word ends;
};

/* The address of the memory; set by the tool. */
extern seL4_Word shared;

static inline struct shared *all(void)
{
    return (struct shared *)shared;
}

/* Takes a turn if it is this processor's, and gives it to the next. */
static inline void take_turn(seL4_Word number)
{
    if (load(&all()->turn) == number) {
        all()->turns[number]++;
        store(&all()->turn, (number + 1) % PROCESSORS);
    }
}

#endif /* PROCESSORS_SHARED_H */
