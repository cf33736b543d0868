/* Checks its own memory when it starts, and then changes all of it. */

#include <microkit.h>

#include "orders.h"

#define TESTER 0
/* 4 MiB of zeros, so that a reset takes a while. */
#define WORDS (4ul << 20) / sizeof(seL4_Word)

seL4_Word orders;
seL4_Word text;

static volatile seL4_Word number = 7;
static volatile seL4_Word zeros[WORDS];

void init(void)
{
    struct orders *told = (struct orders *)orders;
    seL4_Word is_pristine = number == 7;
    for (seL4_Word i = 0; i < WORDS; i++) {
        is_pristine &= zeros[i] == 0;
        zeros[i] = i + 1;
    }
    number = 8;
    told->was_pristine = is_pristine;
    told->starts++;
    microkit_notify(TESTER);
}

void notified(microkit_channel ch)
{
    (void)ch;
    struct orders *told = (struct orders *)orders;
    if (told->fault) {
        __builtin_trap();
    }
    for (seL4_Word i = 0; told->fill && i < TEXT_WORDS; i++) {
        ((volatile seL4_Word *)text)[i] = i;
    }
    microkit_notify(TESTER);
}
