#include <stdint.h>
#include <microkit.h>

uintptr_t shared;

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

/* Clears as many bytes as the label says, from the second on. */
microkit_msginfo protected(microkit_channel ch, microkit_msginfo msginfo)
{
    (void)ch;
    memzero((void *)(shared + 1), microkit_msginfo_get_label(msginfo));
    return microkit_msginfo_new(0, 0);
}
