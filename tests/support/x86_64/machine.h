/* Physical addresses of the machine. */
#ifndef TESTS_MACHINE_H
#define TESTS_MACHINE_H

/* RAM, and the offset at which descriptions pin regions. */
#define RAM_START 0x100000ul
#define RAM_END 0x40000000ul
#define FIXED 0x10000000ul

/* A place in the kernel's image, away from that of programs. */
#define LOADER 0x280000ul

/* The controller in the processor. */
#define INTERRUPT_CONTROLLER 0xfee00000ul

/* A line that stays active interrupts again after its acknowledgement. */
#define LEVELS_COME_AGAIN 1

#endif /* TESTS_MACHINE_H */
