/* Switches a key that as many branches follow as a system may have.
 *
 * key_flip: between the two reads lies one limen_key_enable of a key that is off, and so many branches follow. */

#include <limen/static_key.h>

#include "samples.h"

LIMEN_STATIC_KEY_FALSE(many);

#define EIGHT(what) what what what what what what what what
#define BRANCH                                                                                                     \
    if (limen_static_branch_unlikely(many)) {                                                                      \
        taken++;                                                                                                   \
    }

static struct samples samples;
/* Which branches were taken. */
static seL4_Word taken;

static __attribute__((noinline)) void pass(void)
{
    EIGHT(EIGHT(EIGHT(BRANCH)))
}

void init(void)
{
    samples_start(&samples);
    for (int more = 1; more;) {
        seL4_Word before = limen_counter();
        seL4_Error error = limen_key_enable(0);
        seL4_Word after = limen_counter();
        bench_check(error == seL4_NoError, "the key was not switched on");
        taken = 0;
        pass();
        bench_check(taken == 512, "branches do not follow their key");
        bench_check(limen_key_disable(0) == seL4_NoError, "the key was not switched off");
        more = samples_add(&samples, after - before);
    }
    samples_print(&samples, "key_flip sites=512");
    bench_done();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
