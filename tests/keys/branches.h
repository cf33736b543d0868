/* What a program with branches answers. */
#ifndef TESTS_KEYS_BRANCHES_H
#define TESTS_KEYS_BRANCHES_H

#include <microkit.h>

/* Of many copies of a branch, how many were taken. */
#define TRACES 0
#define CHECKS 1
/* Of keys that nothing is bound to: one that is off, and two branches on one that is on. */
#define UNBOUND 2
#define WORDS 3

#endif /* TESTS_KEYS_BRANCHES_H */
