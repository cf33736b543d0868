/* A server in a chain: passes a call on while its label counts down. */

#include <microkit.h>

#define NEXT 1

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo request)
{
    (void)ch;
    seL4_Word hops = microkit_msginfo_get_label(request);
    if (hops == 1) {
        return microkit_msginfo_new(0, 0);
    }
    microkit_msginfo answer = microkit_ppcall(NEXT, microkit_msginfo_new(hops - 1, 0));
    return microkit_msginfo_new(microkit_msginfo_get_label(answer) + 1, 0);
}
