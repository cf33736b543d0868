/* Memory of both domains, with which the observer knows that the guests work, and ends them before it prints. */
#ifndef INTERFERENCE_ELSEWHERE_WORK_H
#define INTERFERENCE_ELSEWHERE_WORK_H

#include "together.h"

#define GUESTS 3

struct work {
    /* Rounds of each guest. */
    seL4_Word rounds[GUESTS];
    seL4_Word has_ended[GUESTS];
    /* The observer has seen enough. */
    seL4_Word must_end;
};

/* The address of the memory; set by the tool. */
extern seL4_Word work;

static inline struct work *all(void)
{
    return (struct work *)work;
}

/* Where nothing is mapped. */
#define NOWHERE 0x7000000ul

/* The entry of every program. */
#define ENTRY 0x200000ul

#endif /* INTERFERENCE_ELSEWHERE_WORK_H */
