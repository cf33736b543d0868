/* Instructions and register names that C does not provide, under the same names for every architecture. */
#ifndef TESTS_INSTRUCTIONS_H
#define TESTS_INSTRUCTIONS_H

/* Takes four bytes. */
#define UNDEFINED_INSTRUCTION "ud2\n\tud2"

#define READ_STACK_POINTER "movq %%rsp, %0"

/* Names in seL4_UserContext. */
#define PROGRAM_COUNTER rip
#define STACK_POINTER rsp

#endif /* TESTS_INSTRUCTIONS_H */
