/* The follower's orders to its child, in memory mapped at the same address in both. */
#ifndef PROBE_SCRIBE_H
#define PROBE_SCRIBE_H

#include <limen.h>

enum scribe_order {
    SCRIBE_WRITE,    /* a word to the address */
    SCRIBE_READ,     /* a word from the address */
    SCRIBE_FOLLOW,   /* keep an undefined instruction armed, and cause it so often */
    SCRIBE_CAUSE,    /* an undefined instruction, armed or not */
    SCRIBE_START,    /* probing */
    SCRIBE_ANYWHERE, /* keep system calls armed wherever they return, and stop by one of them */
    SCRIBE_GARBAGE,  /* keep a system call armed that has the value in every register, and stamp its return */
    SCRIBE_LOOP,     /* a page fault that stays armed, and after which the program continues at the same address */
};

#define SCRIBE_ADDRESS 0x6000000ul
/* Those of the description. */
#define FOLLOWERS_RING 0x4000000ul
#define SCRIBES_RING 0x5000000ul

struct scribe {
    volatile enum scribe_order order;
    volatile seL4_Word value;
    volatile seL4_Word errors;  /* out: how often a request had another result than expected */
    volatile seL4_Word outcome; /* out */
    volatile seL4_Word count;   /* out: records in the ring */
    volatile seL4_Word stack;   /* out: a stack pointer with which the program can start again */
};

#endif /* PROBE_SCRIBE_H */
