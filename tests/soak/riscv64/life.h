/* Registers with which a walker begins another life, and what it can do on this instruction set. */
#ifndef SOAK_LIFE_H
#define SOAK_LIFE_H

#include <microkit.h>

static inline void begin_at(seL4_UserContext *context, seL4_Word entry)
{
    context->pc = entry;
    context->sp = (context->sp - 256) & ~15ul;
}

#endif /* SOAK_LIFE_H */
