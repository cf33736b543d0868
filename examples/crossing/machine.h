/* What a program can honestly know of the machine that it runs on. One file for each instruction set. */
#ifndef CROSSING_MACHINE_H
#define CROSSING_MACHINE_H

#include <microkit.h>

/* The counter that program and kernel read. */
extern const char counter_name[];

/* How a program reads it when nothing waits, and when everything before is complete. */
extern const char plain_read[];
extern const char serialised_read[];

/* A line or several, of which the first stands behind a heading of a few characters. */
void say_machine(void);
void say_barrier(void);

/* Executes `rounds` times two instructions, and what the call of it takes. */
void two_instructions(seL4_Word rounds);

#endif /* CROSSING_MACHINE_H */
