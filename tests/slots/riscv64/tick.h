/* Precision of the timer. */
#ifndef SLOTS_TICK_H
#define SLOTS_TICK_H

/* Instructions in a tick of the timer that is slowest, HiFive Unleashed's. An interrupt of the emulator's timer may be a tick late. */
#define TICK 1000l

/* Instructions of the longest entry into the kernel, see docs/time.md. */
#define LONGEST_ENTRY 25825l

#endif /* SLOTS_TICK_H */
