/* Memory shared by tester, keeper and hostile program. */
#ifndef TESTS_HOSTILE_ATTACK_H
#define TESTS_HOSTILE_ATTACK_H

#include <microkit.h>

/* Ways to attack. */
enum attack {
    /* Every slot with every system call, one after another. */
    ATTACK_SLOTS,
    /* Calls of random methods with random messages to the slots that hold something. */
    ATTACK_METHODS,
    /* System calls with random registers and a random message buffer. */
    ATTACK_REGISTERS,
    /* Requests to the thread of its own child. */
    ATTACK_CHILD,
    /* Loads, stores and jumps with random addresses. */
    ATTACK_ADDRESSES,
    /* Random instructions. */
    ATTACK_INSTRUCTIONS,
    /* One undefined instruction, then the next. */
    ATTACK_FAULT,
    /* None: block. */
    ATTACK_REST,
};

struct attack_state {
    volatile seL4_Word attack;
    /* Attempts of this kind so far. Counted before each. */
    volatile seL4_Word attempts;
    /* How often the keeper started it. */
    volatile seL4_Word restarts;
};

#endif /* TESTS_HOSTILE_ATTACK_H */
