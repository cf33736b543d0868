/* Memory that all programs of this suite share. */
#ifndef KEYS_ELSEWHERE_SHARED_H
#define KEYS_ELSEWHERE_SHARED_H

#include "together.h"

#define PROCESSORS 4

/* The state of the key: what every pass sees, or one of both. */
#define OFF 0ul
#define ON 1ul
#define CHANGING 2ul

/* Kinds of breakpoints: the usual one, and on x86_64 one of two bytes. */
#define USUAL 1ul
#define TWO_BYTES 2ul
#if defined(CONFIG_ARCH_X86_64)
#define KINDS 2
#else
#define KINDS 1
#endif

struct shared {
    /* Changes so far, times four, and the state. One word, so that a program sees both at once. */
    seL4_Word state;
    /* The last value of `state` in which each passer has made a complete pass. */
    seL4_Word passed[PROCESSORS];
    /* Passes that saw something else than they should. */
    seL4_Word wrong[PROCESSORS];
    /* The same of the key of the rivals. */
    seL4_Word rival_wrong;
    /* Whether passers enter the kernel in each pass. */
    seL4_Word calls;
    /* Changes that each rival is to make, and has made. */
    seL4_Word wanted[PROCESSORS];
    seL4_Word made[PROCESSORS];
    /* Whether the holder switches its key without end, from its start on. */
    seL4_Word holder_changes;
    /* Whether it executes a breakpoint of its own from its start on, and of which kind. */
    seL4_Word holder_breaks;
    /* Whether it holds the key. */
    seL4_Word is_done;
};

/* The address of the memory; set by the tool. */
extern seL4_Word shared;

static inline struct shared *all(void)
{
    return (struct shared *)shared;
}

#endif /* KEYS_ELSEWHERE_SHARED_H */
