/* Faults on the tester's orders. */

#include <microkit.h>

#include "orders.h"

/* An unmapped address. */
#define UNMAPPED 0x10000000ul

seL4_Word orders;
seL4_Word secrets;

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
    if (((struct orders *)orders)->bad_call) {
        seL4_Word badge;
        seL4_Recv(600, &badge, LIMEN_REPLY_CAP);
    } else {
        *(volatile seL4_Word *)UNMAPPED = 1;
    }
}
