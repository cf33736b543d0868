/* Declarations shared by the monitor's files. */
#ifndef LIMEN_MONITOR_H
#define LIMEN_MONITOR_H

#include <microkit.h>

/* Tables that the tool fills in, by index of the protection domain. Names may lack a terminator. */
extern char pd_names[LIMEN_MAX_THREADS][MICROKIT_PD_NAME_LENGTH];
extern seL4_Word pd_names_len;
extern seL4_Word pd_stack_bottom_addrs[LIMEN_MAX_THREADS];

/* Prints the report of a fault. `badge` is the index of the protection domain plus one. */
void report_fault(seL4_MessageInfo_t message, seL4_Word badge);

/* Prints the pointers on the stack of a program. */
void report_stack(seL4_Word index);

/* Prints the same for every program with a bit in the badge: its parent gets the fault. */
void report_stacks(seL4_Word badge);

/* Prints the architecture's description of a failed memory access. */
void describe_vm_fault(seL4_Word status);

/* Prints the architecture's description of a forbidden instruction. */
void describe_exception(seL4_Word number);

/* Prints a name that may lack a terminator. */
void print_name(const char name[MICROKIT_PD_NAME_LENGTH]);

/* Prints a text and a number of 8 or 16 hexadecimal digits. */
void print_half(const char *text, seL4_Word value);
void print_word(const char *text, seL4_Word value);

/* Prints a text and a number of as many digits as it needs. */
void print_number(const char *text, seL4_Word value, seL4_Word base);

#endif /* LIMEN_MONITOR_H */
