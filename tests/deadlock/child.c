/* Reads from a null pointer while its parent waits for the reply. */

#include <microkit.h>

static __attribute__((noinline)) int second_of(const volatile int *numbers)
{
    return numbers[1];
}

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo msginfo)
{
    (void)ch;
    (void)msginfo;
    return microkit_msginfo_new((seL4_Word)second_of(0), 0);
}
