/* The tester's orders to the holder, and their results. */
#ifndef TESTS_KEYS_ORDERS_H
#define TESTS_KEYS_ORDERS_H

#include <microkit.h>

enum order { ENABLE, DISABLE, INC, DEC, PRINT };

struct orders {
    volatile enum order order;
    volatile seL4_Word key;
    volatile seL4_Word outcome;
    /* Set when the order was carried out. */
    volatile seL4_Word is_done;
};

#endif /* TESTS_KEYS_ORDERS_H */
