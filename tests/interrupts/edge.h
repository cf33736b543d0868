/* A device whose line becomes active when a program wants. */
#ifndef TESTS_EDGE_H
#define TESTS_EDGE_H

#include <microkit.h>

/* Once, before the others. */
void edge_start(void);

/* The line, which was not active, is. */
void edge_raise(void);

/* The line is not active any more. */
void edge_clear(void);

#endif /* TESTS_EDGE_H */
