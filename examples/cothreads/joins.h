/* Shared by the three programs with joins: the program name, stacks in separate memory regions, and the start of the
 * library. */
#ifndef JOINS_H
#define JOINS_H

#include "say.h"

#define STACK_SIZE 0x1000

/* Set by the tool. An unmapped guard page lies on each side of a stack. */
uintptr_t co_mem;
uintptr_t stack_1;
uintptr_t stack_2;
uintptr_t stack_3;
uintptr_t stack_4;

static inline void tell(const char *text)
{
    say(PROGRAM ": ");
    say(text);
}

static inline void tell_co(microkit_cothread_t cothread, const char *text)
{
    tell("co");
    say_number((unsigned long)cothread);
    say(text);
}

static inline void start(void)
{
    must(microkit_cothread_init(co_mem, STACK_SIZE, stack_1, stack_2, stack_3, stack_4));
}

static inline void spawn(client_entry_t entry)
{
    microkit_cothread_t handle;
    must(microkit_cothread_spawn(entry, true, &handle, 0));
}

void notified(microkit_channel ch)
{
    (void)ch;
}

#endif /* JOINS_H */
