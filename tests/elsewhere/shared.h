/* Memory that the tester shares with servers, clients and its child. */
#ifndef ELSEWHERE_SHARED_H
#define ELSEWHERE_SHARED_H

#include "together.h"

/* Calls that each client makes when the tester asks for them. */
#ifndef CALLS
#define CALLS 500
#endif
/* How often time crosses twice. */
#ifndef ROUNDS
#define ROUNDS 20
#endif
#define CLIENTS 4

struct shared {
    /* Calls that the passive server has answered. Only it writes this. */
    seL4_Word answered;
    /* Wrong answers that each client has received. */
    seL4_Word wrong[CLIENTS];
    /* How often the child was started, and how far it has counted since. */
    seL4_Word lives;
    seL4_Word count;
    /* What the child does next; see child.c. */
    seL4_Word order;
};

/* The address of the memory; set by the tool. */
extern seL4_Word shared;

static inline struct shared *all(void)
{
    return (struct shared *)shared;
}

/* What the child does. */
enum order { COUNT, FAULT };

/* Where nothing is mapped. */
#define NOWHERE 0x7000000ul

#endif /* ELSEWHERE_SHARED_H */
