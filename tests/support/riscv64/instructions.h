/* Instructions that programs of every architecture need and C has no name for. Each takes four bytes. */
#ifndef TESTS_INSTRUCTIONS_H
#define TESTS_INSTRUCTIONS_H

#define UNDEFINED_INSTRUCTION ".option push\n\t.option norvc\n\tunimp\n\t.option pop"

#endif /* TESTS_INSTRUCTIONS_H */
