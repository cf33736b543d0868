/* Facts that a program can determine about its machine. One file per instruction set. */
#ifndef CROSSING_MACHINE_H
#define CROSSING_MACHINE_H

#include <microkit.h>

/* The counter that program and kernel read. */
extern const char counter_name[];

/* The instructions that read it, without and with a barrier. */
extern const char plain_read[];
extern const char serialised_read[];

/* The unit of the counter, unless it counts instructions. */
extern const char counter_unit[];

/* The processor's own name, or "unknown". */
void say_processor(void);

/* Says on what the system runs: "bare metal", "VM" or "emulator", with the reason, or "unknown". */
void say_platform(void);

/* Print one or more lines; the first one follows a short heading. */
void say_barrier(void);

/* Executes two instructions `rounds` times, plus the cost of the call. */
void two_instructions(seL4_Word rounds);

#endif /* CROSSING_MACHINE_H */
