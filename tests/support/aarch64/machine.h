/* Physical addresses of the machine. */
#ifndef TESTS_MACHINE_H
#define TESTS_MACHINE_H

/* RAM, and the offset at which descriptions pin regions. */
#define RAM_START 0x40000000ul
#define RAM_END 0xc0000000ul
#define FIXED 0x50000000ul

/* The load address of the system image. */
#define LOADER 0x70000000ul

#define INTERRUPT_CONTROLLER 0x08000000ul

/* A line that stays active interrupts again after its acknowledgement. */
#define LEVELS_COME_AGAIN 1

#endif /* TESTS_MACHINE_H */
