#include <microkit.h>
#include "own.h"

uintptr_t shared;

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

/* Clears as many bytes as the label says, from the second on; with a word that is not 0, by this program's own function. */
microkit_msginfo protected(microkit_channel ch, microkit_msginfo msginfo)
{
    (void)ch;
    seL4_Word count = microkit_msginfo_get_label(msginfo);
    bool by_own = microkit_msginfo_get_count(msginfo) == 1 && microkit_mr_get(0);
    if (by_own) {
        clear_with_own(shared + 1, count);
    } else {
        memzero((void *)(shared + 1), count);
    }
    return microkit_msginfo_new(0, 0);
}
