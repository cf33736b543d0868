/* A device whose line is active as long as a program wants. */
#ifndef TESTS_LEVEL_H
#define TESTS_LEVEL_H

#include <microkit.h>

/* Once, before the others. */
void level_start(void);

/* The line is active when this returns. It takes one access to the device. */
void level_raise(void);

/* The line is not active when this returns. */
void level_clear(void);

#endif /* TESTS_LEVEL_H */
