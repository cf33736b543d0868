/* A device whose line is active as long as a program wants. */
#ifndef TESTS_LEVEL_H
#define TESTS_LEVEL_H

#include <microkit.h>

/* The line is active when this returns. */
void level_raise(void);

/* The line is not active when this returns. */
void level_clear(void);

#endif /* TESTS_LEVEL_H */
