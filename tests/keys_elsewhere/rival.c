/* Switches a key as often as the tester wants, at the same time as others; and samples its own system calls. */

#include <limen.h>
#include <limen/static_key.h>

#include "shared.h"

seL4_Word shared;

#define KEY 0

static LIMEN_STATIC_KEY_FALSE(rivalled);

static void switch_key(void)
{
    seL4_Word number = own_number();
    for (seL4_Word i = 0; i < load(&all()->wanted[number]); i++) {
        limen_key_state_t state;
        seL4_Error error = limen_key_inc(KEY);
        /* Its own hold keeps the key on. */
        int is_wrong = error || !limen_static_branch_unlikely(rivalled) || limen_key_read(KEY, &state) ||
                       !state.enabled || state.own != 1 || state.count > 2;
        if (limen_key_dec(KEY) || is_wrong) {
            store(&all()->rival_wrong, 1);
        }
        store(&all()->made[number], i + 1);
    }
}

static seL4_Word sample(void)
{
    limen_crossing_t crossing = { .target = LIMEN_INPUT_CAP, .number = (seL4_Word)seL4_SysNBWait };
    limen_probe_sample_t sample;
    if (limen_probe_start() || limen_probe_arm_syscall()) {
        return 1;
    }
    limen_cross_syscall(&crossing);
    if (limen_probe_read(&sample)) {
        return 2;
    }
    if (!sample.valid || sample.user != crossing.user || crossing.exit < sample.entry) {
        return 3;
    }
    return limen_probe_stop() ? 4 : 0;
}

void init(void)
{
}

void notified(microkit_channel channel)
{
    switch_key();
    microkit_notify(channel);
}

microkit_msginfo protected(microkit_channel channel, microkit_msginfo info)
{
    (void)channel;
    (void)info;
    return microkit_msginfo_new(sample(), 0);
}
