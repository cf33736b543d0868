/* Numbers that look random and are the same in every run with the same SEED, which is a flag of the compiler. */
#ifndef TESTS_HOSTILE_RANDOM_H
#define TESTS_HOSTILE_RANDOM_H

#include <sel4/sel4.h>

#ifndef SEED
#define SEED 0x853c49e6748fea9bul
#endif

/* Makes the following numbers differ from those of other programs; `program` is different for each. */
void random_diverge(seL4_Word program);

seL4_Word random_word(void);

/* From 0 to below - 1. */
seL4_Word random_below(seL4_Word below);

/* Small numbers, powers of two, their neighbours, and anything at all. */
seL4_Word random_interesting(void);

#endif /* TESTS_HOSTILE_RANDOM_H */
