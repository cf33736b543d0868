/* Instructions and register names that C does not provide, under the same names for every architecture. */
#ifndef TESTS_INSTRUCTIONS_H
#define TESTS_INSTRUCTIONS_H

/* Takes four bytes. */
#define UNDEFINED_INSTRUCTION ".option push\n\t.option norvc\n\tunimp\n\t.option pop"

#define READ_STACK_POINTER "mv %0, sp"

/* Names in seL4_UserContext. */
#define PROGRAM_COUNTER pc
#define STACK_POINTER sp

#endif /* TESTS_INSTRUCTIONS_H */
