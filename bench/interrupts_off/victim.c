/* Holds all keys and probes itself, and has the kernel make a digest whenever it runs. */

#include <limen/static_key.h>

#include "figures.h"
#include "user.h"

#define KEYS 31

LIMEN_STATIC_KEY_FALSE(near);
seL4_Word taken;

#define EIGHT(what) what what what what what what what what
#define BRANCH                                                                                                     \
    if (limen_static_branch_unlikely(near)) {                                                                      \
        taken++;                                                                                                   \
    }

static __attribute__((noinline)) void pass(void)
{
    EIGHT(EIGHT(BRANCH))
}

void init(void)
{
    limen_digest_t digest;
    for (seL4_Word key = 0; key < KEYS; key++) {
        bench_check(limen_key_inc(key) == seL4_NoError, "the victim does not hold a key");
    }
    taken = 0;
    pass();
    bench_check(taken == 64, "branches do not follow their key");
    bench_check(limen_probe_start() == seL4_NoError, "the victim does not probe");
    for (;;) {
        limen_digest(0, &digest);
    }
}

void notified(microkit_channel ch)
{
    (void)ch;
}
