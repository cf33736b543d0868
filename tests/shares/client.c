/* Calls the server in a loop. */

#include <microkit.h>

#define SERVER 0

void init(void)
{
    for (;;) {
        microkit_ppcall(SERVER, microkit_msginfo_new(0, 0));
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
