/* A device that interrupts at a chosen moment, in counts of limen_counter. The emulator's devices see the same clock, in
 * steps of up to 16 instructions: the moment is one of those steps. */
#ifndef BENCH_MOMENT_H
#define BENCH_MOMENT_H

#include <limen.h>

/* Where the registers are mapped; set by the tool. */
extern seL4_Word device_base;

/* Starts the device, and gives what `moment_set` needs to know of it. Once. */
seL4_Word moment_start(void);

/* The device interrupts at this moment, or a step later: when exactly is what this gives. */
seL4_Word moment_set(seL4_Word moment, seL4_Word start);

/* The device is quiet when this returns. */
void moment_clear(void);

#endif /* BENCH_MOMENT_H */
