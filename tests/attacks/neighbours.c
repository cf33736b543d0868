#include "neighbours.h"

#include <microkit.h>

#define FIRST 1
#define LAST 3

void ask_neighbours(void)
{
    seL4_Word missing = 0;
    for (microkit_channel ch = FIRST; ch <= LAST; ch++) {
        missing |= 1ul << ch;
        microkit_notify(ch);
    }
    while (missing) {
        seL4_Word badge;
        seL4_Recv(LIMEN_INPUT_CAP, &badge, LIMEN_REPLY_CAP);
        missing &= ~badge;
    }
}
