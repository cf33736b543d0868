/* Ways to reach memory, and why that is not allowed. */
#ifndef TESTS_ATTACKS_ACCESS_H
#define TESTS_ATTACKS_ACCESS_H

enum access { LOAD, STORE, FETCH };

enum obstacle {
    /* Nothing is mapped. */
    MISSING,
    /* What is mapped does not allow it. */
    FORBIDDEN,
    /* The addresses are the kernel's: nobody needs to know what it has there. */
    KERNELS,
    /* They are nobody's, because the processor has fewer bits. */
    NOBODYS,
};

#endif /* TESTS_ATTACKS_ACCESS_H */
