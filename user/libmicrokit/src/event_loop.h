/* Declarations shared by the library's files. */
#ifndef LIMEN_EVENT_LOOP_H
#define LIMEN_EVENT_LOOP_H

#include <microkit.h>

/* True if the program gives up its scheduling context after init. Set by the tool. */
extern seL4_Bool microkit_passive;

/* Prints the program's name, which may lack a terminator. */
void limen_print_name(void);

#endif /* LIMEN_EVENT_LOOP_H */
