/* Shared by the tests of the first interface: one function for each file, and what their cothreads do. */
#ifndef LIMEN_COTHREAD_SEED_TEST_H
#define LIMEN_COTHREAD_SEED_TEST_H

#include "../test.h"

void init_tests(void);
void life_tests(void);
void channel_tests(void);
void join_tests(void);
void stack_tests(void);
void message_tests(void);

microkit_cothread_t spawn(client_entry_t entry);
co_state_t state(microkit_cothread_t handle);
void mark_self(void);
void mark_and_yield(void);
void wait_on_5(void);
void wait_on_6(void);
void block(void);
void nothing(void);

#endif /* LIMEN_COTHREAD_SEED_TEST_H */
