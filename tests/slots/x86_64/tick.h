/* Precision of the timer. */
#ifndef SLOTS_TICK_H
#define SLOTS_TICK_H

/* The timer's count-down is compared with the clock at boot, to about a ten-thousandth: its interrupt may come a little
 * late, or early, and then it is set again. */
#define TICK 1000l

/* Instructions of the longest entry into the kernel, see docs/time.md. */
#define LONGEST_ENTRY 10304l

#endif /* SLOTS_TICK_H */
