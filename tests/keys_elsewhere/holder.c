/* Holds a key until it is stopped. */

#include <limen.h>

#include "shared.h"

seL4_Word shared;

#define KEY 0

static void hold(void)
{
    if (!limen_key_inc(KEY)) {
        store(&all()->is_done, 1);
    }
    for (;;) {
        /* Keeps a change under way. */
        if (load(&all()->holder_changes)) {
            limen_key_dec(KEY);
            limen_key_inc(KEY);
        }
    }
}

void init(void)
{
    if (load(&all()->holder_breaks)) {
        __builtin_debugtrap();
    }
    if (load(&all()->holder_changes)) {
        hold();
    }
}

void notified(microkit_channel channel)
{
    (void)channel;
    hold();
}
