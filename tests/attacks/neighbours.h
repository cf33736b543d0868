/* The programs that must not notice an attack. */
#ifndef TESTS_ATTACKS_NEIGHBOURS_H
#define TESTS_ATTACKS_NEIGHBOURS_H

#include <sel4/sel4.h>

/* Returns when all of them have said that they are well; their priorities are below, at and above the culprit's. One that
 * is silent is missed here for ever, which ends the run. */
void ask_neighbours(void);

#endif /* TESTS_ATTACKS_NEIGHBOURS_H */
