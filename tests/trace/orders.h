/* What the tester's peers do. */
#ifndef TESTS_TRACE_ORDERS_H
#define TESTS_TRACE_ORDERS_H

/* More than a budget of 100 microseconds. */
#define SPINS 200000ul

/* Records that the hostile program writes at each signal. */
#define FORGED 4000ul
#define FORGED_VALUE 0xbadul

/* Where the outsider looks for the ring: at the addresses of the tester, of the hostile program and of the kernel. */
#define OUTSIDERS_PLACES 0x4000000ul, 0x5000000ul, 0xffffffffbe800000ul

#endif /* TESTS_TRACE_ORDERS_H */
