/* Serves calls by calls of a server that never receives. */

#include <microkit.h>

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

static __attribute__((noinline)) microkit_msginfo forward(microkit_channel server)
{
    microkit_msginfo answer = microkit_ppcall(server, microkit_msginfo_new(0, 0));
    __asm__ volatile("" ::: "memory");
    return answer;
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo msginfo)
{
    (void)ch;
    (void)msginfo;
    return forward(2);
}
