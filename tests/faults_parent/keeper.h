/* The tester's orders to a keeper, in the last words of the memory that keeper and child share. */
#ifndef TESTS_FAULTS_PARENT_KEEPER_H
#define TESTS_FAULTS_PARENT_KEEPER_H

#include "orders.h"

/* A keeper's reaction to a fault of its child. */
enum policy {
    /* Resume it after the instruction. */
    SKIP,
    /* Leave it stopped. */
    LEAVE,
    /* Restart it without an order. */
    RESTART,
};

struct keeping {
    struct orders orders;
    volatile seL4_Word policy;
    /* Faults seen so far, and the last one. */
    volatile seL4_Word faults;
    volatile seL4_Word last_child;
    volatile seL4_Word last_label;
};

/* Channels of a keeper. */
#define KEEPER_START 1
#define KEEPER_CRASH 2

/* The child of a keeper. */
#define KEPT 61

#endif /* TESTS_FAULTS_PARENT_KEEPER_H */
