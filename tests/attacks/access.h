/* Kinds of memory access, and the reasons that forbid them. */
#ifndef TESTS_ATTACKS_ACCESS_H
#define TESTS_ATTACKS_ACCESS_H

enum access { LOAD, STORE, FETCH };

enum obstacle {
    /* Nothing is mapped. */
    MISSING,
    /* The mapping does not permit it. */
    FORBIDDEN,
    /* The address belongs to the kernel; the fault must not reveal its mappings. */
    KERNELS,
    /* The address exceeds the processor's address bits. */
    NOBODYS,
};

#endif /* TESTS_ATTACKS_ACCESS_H */
