/* Precision of the timer. */
#ifndef SLOTS_TICK_H
#define SLOTS_TICK_H

/* Instructions in a tick of the timer. An interrupt of the emulator's timer may be a tick late. */
#define TICK 16l

/* Instructions of the longest entry into the kernel, see docs/time.md. */
#define LONGEST_ENTRY 10521l

#endif /* SLOTS_TICK_H */
