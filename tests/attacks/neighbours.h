/* The programs that an attack must not affect. */
#ifndef TESTS_ATTACKS_NEIGHBOURS_H
#define TESTS_ATTACKS_NEIGHBOURS_H

#include <sel4/sel4.h>

/* Returns when all of them have reported that they are well; their priorities are below, at and above the culprit's. If one
 * stays silent, this never returns, which ends the run. */
void ask_neighbours(void);

#endif /* TESTS_ATTACKS_NEIGHBOURS_H */
