/* The part of the work that another source file does. */
#ifndef SPANS_HELPER_H
#define SPANS_HELPER_H

#include <microkit.h>

/* Begins the inner span, and sets the counter. */
void begin_inner(seL4_Word round);

/* Ends the outer span. */
void end_outer(seL4_Word round);

#endif /* SPANS_HELPER_H */
