/* Has the kernel wipe the most that one fault may, all the time. */

#include <microkit.h>

/* Nothing is mapped there. */
#define BAD_ADDRESS 0x5000000ul

void init(void)
{
    for (;;) {
        *(volatile seL4_Word *)BAD_ADDRESS = 0;
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
