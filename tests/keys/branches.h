/* What a program with branches answers. */
#ifndef TESTS_KEYS_BRANCHES_H
#define TESTS_KEYS_BRANCHES_H

#include <microkit.h>

/* Of many copies of a branch, one of them in another file, how many were taken. */
#define TRACES 0
#define CHECKS 1
/* Of keys that nothing is bound to: one that is off, and two branches on one that is on. */
#define UNBOUND 2
/* A bit for each element of both arrays: three that are off by default, then two that are on. */
#define ELEMENTS 3
#define WORDS 4

seL4_Word traces_elsewhere(void);

#endif /* TESTS_KEYS_BRANCHES_H */
