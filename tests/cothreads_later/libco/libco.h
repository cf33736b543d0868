/* Switching primitives of the program itself: the subset of libco that the cothread library uses. */
#ifndef TESTS_LIBCO_H
#define TESTS_LIBCO_H

typedef void *cothread_t;

/* The running cothread. */
cothread_t co_active(void);

/* Creates a cothread that starts at a function, which must not return, with stack and state in this memory. */
cothread_t co_derive(void *memory, unsigned int size, void (*entry)(void));

/* Switches to another cothread. */
void co_switch(cothread_t handle);

#endif /* TESTS_LIBCO_H */
