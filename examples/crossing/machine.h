/* Facts that a program can determine about its machine. One file per instruction set. */
#ifndef CROSSING_MACHINE_H
#define CROSSING_MACHINE_H

#include <microkit.h>

/* The counter that program and kernel read. */
extern const char counter_name[];

/* The instructions that read it, without and with a barrier. */
extern const char plain_read[];
extern const char serialised_read[];

/* Print one or more lines; the first one follows a short heading. */
void say_machine(void);
void say_barrier(void);

/* Executes two instructions `rounds` times, plus the cost of the call. */
void two_instructions(seL4_Word rounds);

#endif /* CROSSING_MACHINE_H */
