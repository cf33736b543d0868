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

static void break_here(seL4_Word kind)
{
#if defined(CONFIG_ARCH_X86_64)
    if (kind == TWO_BYTES) {
        /* From its second byte on, it would be an addition and an undefined instruction. */
        __asm__ volatile(".byte 0xcd, 3, 0xc0\n\tud2" ::: "rax", "cc");
    }
#endif
    if (kind == USUAL) {
        __builtin_debugtrap();
    }
}

void init(void)
{
    if (load(&all()->holder_breaks)) {
        break_here(load(&all()->holder_breaks));
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
