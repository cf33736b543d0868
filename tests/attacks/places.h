/* Addresses of the culprit's memory in the description, and addresses that it reports itself. */
#ifndef TESTS_ATTACKS_PLACES_H
#define TESTS_ATTACKS_PLACES_H

#include <microkit.h>

/* The code of the attacks: the tester's writable mapping, and the executable mapping of both. */
#define CODE_WRITTEN 0x3000000ul
#define CODE 0x4000000ul
/* Memory of the culprit alone. The stack ends in its middle. */
#define DATA 0x5000000ul
#define STACK (DATA + 0x1000)
/* Memory that the culprit may only read. */
#define CONSTANT 0x6000000ul
/* A page at the low end of the culprit's addresses, as the tester sees it. */
#define LOW_WRITTEN 0x7000000ul
#define LOW 0x1000ul
#define PLACES 0x8000000ul
/* An unmapped address. */
#define NOWHERE 0x9000000ul

/* Addresses in the culprit's own image. */
struct places {
    volatile seL4_Word text;
    volatile seL4_Word constants;
    volatile seL4_Word variables;
    volatile seL4_Word zeroes;
    volatile seL4_Word stack;
    volatile seL4_Word message_buffer;
};

#endif /* TESTS_ATTACKS_PLACES_H */
