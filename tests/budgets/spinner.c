/* Counts without end once it is notified, in the counter of its channel. */

#include <microkit.h>

seL4_Word counts;

void init(void)
{
}

void notified(microkit_channel ch)
{
    volatile seL4_Word *count = (volatile seL4_Word *)counts + ch;
    for (;;) {
        *count += 1;
    }
}
