/* A level-triggered device under program control. */
#ifndef TESTS_LEVEL_H
#define TESTS_LEVEL_H

#include <microkit.h>

/* Called once, before the others. */
void level_start(void);

/* Asserts the line before it returns, with one access to the device. */
void level_raise(void);

/* Makes the device assert the line, on some devices only after the return. */
void level_assert(void);

/* Deasserts the line before it returns. */
void level_clear(void);

#endif /* TESTS_LEVEL_H */
