/* How exact the timer is. */
#ifndef SLOTS_TICK_H
#define SLOTS_TICK_H

/* Instructions in a tick of the timer. An interrupt of the emulator's timer may be a tick late. */
#define TICK 16l

#endif /* SLOTS_TICK_H */
