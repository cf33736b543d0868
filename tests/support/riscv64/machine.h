/* Physical addresses of the machine. */
#ifndef TESTS_MACHINE_H
#define TESTS_MACHINE_H

/* RAM, and the offset at which descriptions pin regions. */
#define RAM_START 0x80000000ul
#define RAM_END 0x100000000ul
#define FIXED 0xd0000000ul

/* The load address of the system image. */
#define LOADER 0x90000000ul

#define INTERRUPT_CONTROLLER 0x0c000000ul

/* A line that is active all the time would interrupt again after its acknowledgement, but the emulator's controller takes
 * every line for one with edges. */
#define LEVELS_COME_AGAIN 0

#endif /* TESTS_MACHINE_H */
