/* A parent's orders to its child, in shared memory. */
#ifndef TESTS_FAULTS_PARENT_ORDERS_H
#define TESTS_FAULTS_PARENT_ORDERS_H

#include <microkit.h>

enum order {
    /* Wait for notifications. */
    IDLE,
    /* Load from `address`. */
    LOAD,
    /* Execute an undefined instruction. */
    UNDEFINED,
    /* Execute a breakpoint. */
    BREAKPOINT,
    /* Make the system call `number` with known registers. */
    SYSTEM_CALL,
    /* Call the capability at `address`. */
    CALL,
    /* Receive from the capability at `address`. */
    RECEIVE,
    /* Increment `counter` and notify the parent each time, without end. */
    COUNT,
};

/* Registers of SYSTEM_CALL: the first seven of a call are FIRST_REGISTER and the six numbers after it. */
#define FIRST_REGISTER 0x1000

struct orders {
    volatile seL4_Word order;
    volatile seL4_Word address;
    volatile seL4_Word number;
    volatile seL4_Word counter;
    /* Starts of the child so far. */
    volatile seL4_Word starts;
    /* Faulting instructions after which the child continued. */
    volatile seL4_Word survived;
    /* The result of a load, a call or a system call. */
    volatile seL4_Word result;
    /* Addresses in the child: of the faulting instruction, and where it can be restarted with a fresh stack. */
    volatile seL4_Word instruction;
    volatile seL4_Word again;
};

#endif /* TESTS_FAULTS_PARENT_ORDERS_H */
