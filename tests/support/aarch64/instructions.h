/* Instructions that programs of every architecture need and C has no name for. */
#ifndef TESTS_INSTRUCTIONS_H
#define TESTS_INSTRUCTIONS_H

/* Takes four bytes. */
#define UNDEFINED_INSTRUCTION "udf #0"

#define READ_STACK_POINTER "mov %0, sp"

#endif /* TESTS_INSTRUCTIONS_H */
