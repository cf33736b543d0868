/* Instructions that programs of every architecture need and C has no name for. Each takes four bytes. */
#ifndef TESTS_INSTRUCTIONS_H
#define TESTS_INSTRUCTIONS_H

#define UNDEFINED_INSTRUCTION "udf #0"

#endif /* TESTS_INSTRUCTIONS_H */
