/* Children, and the channels to them at both ends. */
#ifndef TESTS_MISUSE_H
#define TESTS_MISUSE_H

/* Calls before init. */
#define EARLY 1
/* Waits for a notification in the root. */
#define WAITING 2
/* Destroys the root. */
#define DESTROYING 3

#endif /* TESTS_MISUSE_H */
