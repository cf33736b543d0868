/* Switching primitives that a program brings along, as far as the cothread library uses them. */
#ifndef TESTS_LIBCO_H
#define TESTS_LIBCO_H

typedef void *cothread_t;

/* The one that runs. */
cothread_t co_active(void);

/* One that starts at a function, which must not return, and has everything in this memory. */
cothread_t co_derive(void *memory, unsigned int size, void (*entry)(void));

/* Leaves the one that runs for another. */
void co_switch(cothread_t handle);

#endif /* TESTS_LIBCO_H */
