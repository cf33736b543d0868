/* The destination of a deferred signal. The linker takes this file only for a program that names it, and the event loop of
 * the others does not look for a signal. */

#include <microkit.h>

seL4_CPtr microkit_signal_cap;
