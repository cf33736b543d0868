/* Every register of the floating-point unit, written and read as a whole. Each architecture's fpu_registers.h lists the
 * registers; `state_write` and `state_read` are the only code here that uses the unit. */
#ifndef TESTS_FPU_STATE_H
#define TESTS_FPU_STATE_H

#include "fpu_registers.h"

/* Random contents for every register. */
void state_fill(struct state *state);

/* The initial values of a program. */
void state_initial(struct state *state);

/* Whether two states are the same. */
int state_equal(const struct state *a, const struct state *b);

/* Writes every register. */
void state_write(const struct state *state);

/* Reads every register. */
void state_read(struct state *state);

/* The first instruction of `state_read` that uses the unit. */
extern char state_first_use[];

#endif /* TESTS_FPU_STATE_H */
