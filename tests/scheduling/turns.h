/* The turns of several programs of equal priority. */
#ifndef TESTS_SCHEDULING_TURNS_H
#define TESTS_SCHEDULING_TURNS_H

#include <microkit.h>

#define SPINNERS 3
#define TURNS 20

struct turns {
    /* The program that ran last, numbered from 1. */
    volatile seL4_Word last;
    volatile seL4_Word count[SPINNERS + 1];
};

#endif /* TESTS_SCHEDULING_TURNS_H */
