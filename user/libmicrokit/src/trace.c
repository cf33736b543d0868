/* The key of a program's own events: see limen/trace.h. */

#include <limen/trace.h>

LIMEN_STATIC_KEY_FALSE(limen_trace_on);
