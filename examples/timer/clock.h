/* What the timer needs of a machine: a clock, and an alarm that interrupts. There is a file for each kind, clock_KIND.c. */
#ifndef TIMER_CLOCK_H
#define TIMER_CLOCK_H

/* A time that never comes. */
#define NEVER (~0ul)

/* Once, before the others. There is no alarm. */
void clock_start(void);

/* Microseconds since some moment in the past. */
unsigned long clock_now(void);

/* Asks for an interrupt at this time or earlier, in place of the one before; for none at NEVER. Clocks that compare for
 * equality miss a time that has passed meanwhile. */
void clock_set_alarm(unsigned long when);

/* Makes the interrupt line quiet. */
void clock_quiet(void);

#endif /* TIMER_CLOCK_H */
