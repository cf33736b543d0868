/* The interface of a clock with an alarm interrupt. Each kind of clock has a file, clock_KIND.c. */
#ifndef TIMER_CLOCK_H
#define TIMER_CLOCK_H

/* A time that never comes. */
#define NEVER (~0ul)

/* Once, before the others. There is no alarm. */
void clock_start(void);

/* Microseconds since some moment in the past. */
unsigned long clock_now(void);

/* Sets the alarm to this time or earlier and replaces the previous one; NEVER disables it. Clocks that compare for
 * equality miss a time that has already passed. */
void clock_set_alarm(unsigned long when);

/* Deasserts the interrupt line. */
void clock_quiet(void);

#endif /* TIMER_CLOCK_H */
