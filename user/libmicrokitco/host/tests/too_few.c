/* Must not compile: four cothreads, three stacks. */

#include <libmicrokitco.h>

co_err_t start(uintptr_t memory, uintptr_t a, uintptr_t b, uintptr_t c)
{
    return microkit_cothread_init(memory, 0x1000, a, b, c);
}
