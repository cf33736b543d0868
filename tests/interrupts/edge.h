/* An edge-triggered device under program control. */
#ifndef TESTS_EDGE_H
#define TESTS_EDGE_H

#include <microkit.h>

/* Called once, before the others. */
void edge_start(void);

/* Asserts the line, which must be deasserted. */
void edge_raise(void);

/* Deasserts the line. */
void edge_clear(void);

#endif /* TESTS_EDGE_H */
