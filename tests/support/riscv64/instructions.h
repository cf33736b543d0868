/* Instructions and register names that C does not provide, under the same names for every architecture. */
#ifndef TESTS_INSTRUCTIONS_H
#define TESTS_INSTRUCTIONS_H

/* Takes four bytes. */
#define UNDEFINED_INSTRUCTION ".option push\n\t.option norvc\n\tunimp\n\t.option pop"

/* The firmware tries to emulate the instruction above, which accesses a register of the processor. It forwards this one,
 * all of whose bits are set, at once. */
#define UNDEFINED_INSTRUCTION_ALL_ONES ".word 0xffffffff"

#define READ_STACK_POINTER "mv %0, sp"

/* Names in seL4_UserContext. */
#define PROGRAM_COUNTER pc
#define STACK_POINTER sp

#endif /* TESTS_INSTRUCTIONS_H */
