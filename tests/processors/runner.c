/* Runs on a processor of its own: takes turns until the tester ends that, then answers notifications and calls. */

#include "shared.h"

seL4_Word shared;

void init(void)
{
    seL4_Word number = own_number();
    while (!load(&all()->ends)) {
        take_turn(number);
        store(&all()->runner_rounds[number], all()->runner_rounds[number] + 1);
    }
}

void notified(microkit_channel channel)
{
    microkit_notify(channel);
}

microkit_msginfo protected(microkit_channel channel, microkit_msginfo info)
{
    seL4_Word words = microkit_msginfo_get_count(info);
    for (seL4_Word i = 0; i < words; i++) {
        microkit_mr_set(i, microkit_mr_get(i) * 3 + own_number());
    }
    return microkit_msginfo_new(microkit_msginfo_get_label(info) + channel, (seL4_Uint16)words);
}
