/* Switches keys with increasing numbers of branches, up to ten thousand.
 *
 * key_flip: between the two reads lies one limen_key_enable of a key that is off, with the given number of branches. */

#include <limen/static_key.h>

#include "passes.h"
#include "samples.h"

LIMEN_STATIC_KEY_FALSE(few);
LIMEN_STATIC_KEY_FALSE(two);
LIMEN_STATIC_KEY_FALSE(ten);

#define EIGHT(what) what what what what what what what what
#define BRANCH                                                                                                     \
    if (limen_static_branch_unlikely(few)) {                                                                       \
        taken++;                                                                                                   \
    }

seL4_Word taken;
static struct samples samples;

static __attribute__((noinline)) void pass_few(void)
{
    EIGHT(EIGHT(EIGHT(BRANCH)))
}

static void pass_two(void)
{
    two_0();
    two_1();
}

static void pass_ten(void)
{
    ten_0();
    ten_1();
    ten_2();
    ten_3();
    ten_4();
    ten_5();
    ten_6();
    ten_7();
    ten_8();
    ten_9();
}

static void measure(seL4_Word key, void (*pass)(void), seL4_Word branches, const char *row)
{
    samples_start(&samples);
    for (int more = 1; more;) {
        seL4_Word before = limen_counter();
        seL4_Error error = limen_key_enable(key);
        seL4_Word after = limen_counter();
        bench_check(error == seL4_NoError, "the key was not switched on");
        taken = 0;
        pass();
        bench_check(taken == branches, "branches do not follow their key");
        bench_check(limen_key_disable(key) == seL4_NoError, "the key was not switched off");
        pass();
        bench_check(taken == branches, "branches follow a key that is off");
        more = samples_add(&samples, after - before);
    }
    samples_print(&samples, row);
}

void init(void)
{
    measure(0, pass_few, 512, "key_flip sites=512");
    measure(1, pass_two, 2000, "key_flip sites=2000");
    measure(2, pass_ten, 10000, "key_flip sites=10000");
    bench_done();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
