#include <stdbool.h>
#include <stdint.h>
#include <microkit.h>
#include "util.h"

#define CLIENT_CHANNEL 2

uintptr_t queue_vaddr;

static uint64_t taken;

static void drain(void)
{
    uint64_t value;
    while (queue_take((struct queue *)queue_vaddr, &value)) {
        taken += value;
    }
}

void init(void)
{
    microkit_dbg_puts("SERVER|INFO: starting\n");
}

void notified(microkit_channel ch)
{
    switch (ch) {
    case CLIENT_CHANNEL:
        drain();
        microkit_deferred_notify(CLIENT_CHANNEL);
        break;
    default:
        microkit_dbg_puts("SERVER|ERROR: unexpected channel\n");
        break;
    }
}

seL4_MessageInfo_t protected(microkit_channel ch, microkit_msginfo msginfo)
{
    (void)ch;
    uint64_t label = microkit_msginfo_get_label(msginfo);
    seL4_SetMR(0, taken);
    seL4_SetMR(1, (seL4_Word)(harmonic((int)label) * 1000000));
    return seL4_MessageInfo_new(label + 1, 0, 0, 2);
}
