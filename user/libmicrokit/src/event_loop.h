/* What the parts of the library share. */
#ifndef LIMEN_EVENT_LOOP_H
#define LIMEN_EVENT_LOOP_H

#include <microkit.h>

/* Whether the program gives its scheduling context away after init. Set by the tool. */
extern seL4_Bool microkit_passive;

/* Prints the program's name, which need not be terminated. */
void limen_print_name(void);

#endif /* LIMEN_EVENT_LOOP_H */
