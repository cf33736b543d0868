/* What the tester's peers do. */
#ifndef TESTS_TRACE_ORDERS_H
#define TESTS_TRACE_ORDERS_H

/* More than a budget of 100 microseconds. */
#define SPINS 200000ul

/* Records that the hostile program writes at each signal. */
#define FORGED 4000ul
#define FORGED_VALUE 0xbadul

#endif /* TESTS_TRACE_ORDERS_H */
