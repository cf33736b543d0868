/* The subset of the libco interface that the library uses. */
#ifndef LIBCO_H
#define LIBCO_H

typedef void *cothread_t;

cothread_t co_active(void);
cothread_t co_derive(void *memory, unsigned int size, void (*entry)(void));
void co_switch(cothread_t handle);

#endif /* LIBCO_H */
