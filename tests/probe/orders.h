/* The tester's orders to the hostile program, in memory mapped at the same address in both. */
#ifndef PROBE_ORDERS_H
#define PROBE_ORDERS_H

#include <microkit.h>

enum order {
    ASK,        /* use the right to probe, which it has not */
    SYSCALL,    /* a system call with the value in every register */
    PAGE_FAULT, /* at an address where nothing is, with the value in every other register */
    UNDEFINED,
    BREAKPOINT,
};

/* A record on a stack by which another kernel takes a program for one that measures, where this many bytes are above
 * the stack pointer. */
#define MAGIC 0x19940619ul
#define MAGIC_PLACE 3
#define RECORD_WORDS 64

/* Nothing is mapped there. */
#define UNMAPPED 0x10000000ul

#define ORDERS_ADDRESS 0x3000000ul

struct orders {
    volatile enum order order;
    volatile seL4_Word value;
    volatile seL4_Word is_done;
    volatile seL4_Word outcome;
    volatile seL4_Word stack; /* a stack pointer with which the program can start again */
    volatile seL4_Word record[RECORD_WORDS];
};

#endif /* PROBE_ORDERS_H */
