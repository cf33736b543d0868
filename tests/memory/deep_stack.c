/* Uses nearly all of a large stack. */

#include "instructions.h"
#include <microkit.h>

#define USED_BYTES (0x100000 - 0x1000)

static seL4_Word first_stack_pointer;

static seL4_Word stack_pointer(void)
{
    seL4_Word sp;
    __asm__ (READ_STACK_POINTER : "=r"(sp));
    return sp;
}

void init(void)
{
    first_stack_pointer = stack_pointer();
}

void notified(microkit_channel ch)
{
    (void)ch;
}

/* Word 0 of the answer: the sum of as many ones as words fit on the stack. Word 1: the stack pointer in init. */
microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    volatile seL4_Word words[USED_BYTES / 8];
    (void)ch;
    (void)request;
    for (seL4_Word i = 0; i < USED_BYTES / 8; i++) {
        words[i] = 1;
    }
    seL4_Word sum = 0;
    for (seL4_Word i = 0; i < USED_BYTES / 8; i++) {
        sum += words[i];
    }
    microkit_mr_set(0, sum);
    microkit_mr_set(1, first_stack_pointer);
    return microkit_msginfo_new(0, 2);
}
