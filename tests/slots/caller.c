/* Calls a server in a loop, with the longest message. */

#include <microkit.h>

#define SERVER 0

void init(void)
{
    for (;;) {
        microkit_ppcall(SERVER, microkit_msginfo_new(0, 64));
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
