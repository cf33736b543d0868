/* Waits without the library's event loop and writes whole badges into the journal. */

#include "journal.h"

#define TESTER 40

seL4_Word journal;

void init(void)
{
    for (;;) {
        seL4_Word badge;
        seL4_Wait(LIMEN_INPUT_CAP, &badge);
        journal_add(badge);
        microkit_notify(TESTER);
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
