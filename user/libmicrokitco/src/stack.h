/* Stacks: filled with a pattern to measure their use, and guarded by a sentinel word at the lowest address. */
#ifndef LIMEN_COTHREAD_STACK_H
#define LIMEN_COTHREAD_STACK_H

#include <libmicrokitco.h>

LIMEN_CO_INLINE uintptr_t align_up(uintptr_t address)
{
    return (address + LIMEN_CO_ALIGNMENT - 1) & ~(uintptr_t)(LIMEN_CO_ALIGNMENT - 1);
}

/* The controller's address within the memory that the program provides: the start, if that is a co_control_t. */
LIMEN_CO_INLINE co_control_t *control_in(uintptr_t memory)
{
    uintptr_t mask = __alignof__(co_control_t) - 1;
    return (co_control_t *)((memory + mask) & ~mask);
}

LIMEN_CO_INLINE uintptr_t align_down(uintptr_t address)
{
    return address & ~(uintptr_t)(LIMEN_CO_ALIGNMENT - 1);
}

/* Writes to the whole stack, so that unmapped memory faults here. */
void stack_paint(uintptr_t *stack, size_t bytes) __attribute__((visibility("hidden")));

/* An overflow overwrites the lowest word first or skips it; it cannot leave its own address there by chance. */
LIMEN_CO_INLINE void stack_guard(uintptr_t *stack)
{
    *stack = (uintptr_t)stack;
}

#endif /* LIMEN_COTHREAD_STACK_H */
