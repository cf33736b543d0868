/* Registers with which a walker begins another life, and what it can do on this instruction set. */
#ifndef SOAK_LIFE_H
#define SOAK_LIFE_H

#include <microkit.h>

static inline void begin_at(seL4_UserContext *context, seL4_Word entry)
{
    context->rip = entry;
    /* As after a call instruction. */
    context->rsp = ((context->rsp - 256) & ~15ul) - 8;
}

#endif /* SOAK_LIFE_H */
