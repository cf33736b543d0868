/* Instructions and registers that programs of every architecture need and C has no name for. */
#ifndef TESTS_INSTRUCTIONS_H
#define TESTS_INSTRUCTIONS_H

/* Takes four bytes. */
#define UNDEFINED_INSTRUCTION "ud2\n\tud2"

#define READ_STACK_POINTER "movq %%rsp, %0"

/* Names in seL4_UserContext. */
#define PROGRAM_COUNTER rip
#define STACK_POINTER rsp

#endif /* TESTS_INSTRUCTIONS_H */
