/* Numbers that look random and are the same in every run. */
#ifndef TESTS_HOSTILE_RANDOM_H
#define TESTS_HOSTILE_RANDOM_H

#include <sel4/sel4.h>

seL4_Word random_word(void);

/* From 0 to below - 1. */
seL4_Word random_below(seL4_Word below);

/* Small numbers, powers of two, their neighbours, and anything at all. */
seL4_Word random_interesting(void);

#endif /* TESTS_HOSTILE_RANDOM_H */
