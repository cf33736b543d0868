/* Preempts the tester repeatedly. */

#include <microkit.h>

#include "orders.h"

#define TESTER 7

seL4_Word orders;

void init(void)
{
    struct orders *told = (struct orders *)orders;
    for (;;) {
        told->ticks++;
        if (told->disturbances) {
            told->disturbances--;
            seL4_TCB_Suspend(BASE_TCB_CAP + TESTER);
            seL4_TCB_Resume(BASE_TCB_CAP + TESTER);
        }
        /* Until the budget comes back: so it counts how often it has run. */
        seL4_Yield();
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
