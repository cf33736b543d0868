/* A device that interrupts at a chosen moment, in counts of limen_counter. The emulator's devices see the same clock, in
 * steps of up to 16 instructions: the moment is one of those steps. */
#ifndef BENCH_MOMENT_H
#define BENCH_MOMENT_H

#include <limen.h>

/* Address of the registers; set by the tool. */
extern seL4_Word device_base;

/* Starts the device, and returns the argument of `moment_set`. Called once. */
seL4_Word moment_start(void);

/* Makes the device interrupt at this moment or a step later. Returns the exact moment. */
seL4_Word moment_set(seL4_Word moment, seL4_Word start);

/* The device needs some time to interrupt again. */
#define MOMENT_LEAST 500

/* The same for a moment that may be over or too near. */
static inline void moment_set_after(seL4_Word moment, seL4_Word now, seL4_Word start)
{
    moment_set(moment > now + MOMENT_LEAST ? moment : now + MOMENT_LEAST, start);
}

/* Deasserts the device's interrupt before it returns. */
void moment_clear(void);

#endif /* BENCH_MOMENT_H */
