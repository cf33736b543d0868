/* What the tester tells the hostile program to do. */
#ifndef PROBE_ORDERS_H
#define PROBE_ORDERS_H

#include <microkit.h>

enum order {
    ASK,        /* use the right to probe, which it has not */
    CALL,       /* a system call with registers as for a stamp */
    PAGE_FAULT, /* at this address, with everything in registers as for a stamp, and this stack pointer */
    UNDEFINED,
    BREAKPOINT,
};

struct orders {
    volatile enum order order;
    volatile seL4_Word address;
    volatile seL4_Word is_done;
    volatile seL4_Word outcome;
};

#endif /* PROBE_ORDERS_H */
