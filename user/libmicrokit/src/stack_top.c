/* The stack pointer with which every life of a program starts, for crt0. */

#include <sel4/sel4.h>

extern const seL4_Word limen_stack_top;
const seL4_Word limen_stack_top = LIMEN_STACK_TOP;
