/* The tester's orders to its child, in shared memory. */
#ifndef TESTS_FPU_ORDERS_H
#define TESTS_FPU_ORDERS_H

#include <microkit.h>

enum order {
    /* Read all registers and report whether they have their initial values. */
    READ_INITIAL,
    /* Write registers at random. */
    WRITE,
    /* Read all registers and report whether they have the values that it wrote. */
    READ_WRITTEN,
    /* Execute an instruction that does not exist. */
    UNDEFINED,
    /* The same between writing registers at random and reading them. */
    WRITE_UNDEFINED_READ,
};

struct orders {
    volatile seL4_Word order;
    /* True if the last order found the expected values. */
    volatile seL4_Word is_right;
    /* Where the child uses the unit first. */
    volatile seL4_Word first_use;
    /* Where the child can be started over, and with which stack. */
    volatile seL4_Word again;
    volatile seL4_Word stack;
};

#endif /* TESTS_FPU_ORDERS_H */
