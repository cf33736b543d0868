/* Sends the monitor forged faults and arbitrary messages. */

#include "random.h"
#include <microkit.h>

/* Where a program without a parent reaches the monitor. */
#define FAULT_SLOT 2

#define MESSAGES 12

void init(void)
{
    for (int i = 0; i < MESSAGES; i++) {
        for (int word = 0; word < 8; word++) {
            seL4_SetMR(word, random_interesting());
        }
        seL4_NBSend(FAULT_SLOT, seL4_MessageInfo_new(random_below(12), 0, 0, random_below(8)));
    }
    seL4_Call(FAULT_SLOT, seL4_MessageInfo_new(random_word(), 0, 0, 0));
}

void notified(microkit_channel ch)
{
    (void)ch;
}
