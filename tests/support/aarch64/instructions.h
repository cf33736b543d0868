/* Instructions and register names that C does not provide, under the same names for every architecture. */
#ifndef TESTS_INSTRUCTIONS_H
#define TESTS_INSTRUCTIONS_H

/* Takes four bytes. */
#define UNDEFINED_INSTRUCTION "udf #0"

#define READ_STACK_POINTER "mov %0, sp"

/* Names in seL4_UserContext. */
#define PROGRAM_COUNTER pc
#define STACK_POINTER sp

#endif /* TESTS_INSTRUCTIONS_H */
