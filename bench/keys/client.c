/* Branches on keys, and switches them.
 *
 * key_site: between the two reads lie eight branches that are not taken: on a key, on a flag in memory, or no branches.
 * key_flip: between the two reads lies one limen_key_enable of a key that is off, with the given number of branches. */

#include <limen/static_key.h>

#include "samples.h"

LIMEN_STATIC_KEY_FALSE(one);
LIMEN_STATIC_KEY_FALSE(eight);
LIMEN_STATIC_KEY_FALSE(sixty_four);

static struct samples samples;
static volatile int flag;
/* The branches taken. */
static seL4_Word taken;

/* Out of line, as the code behind such branches usually is. */
static __attribute__((noinline, cold)) void take(void)
{
    taken++;
}

#define BRANCH(key)                                                                                                \
    if (limen_static_branch_unlikely(key)) {                                                                       \
        take();                                                                                                    \
    }
#define TEST()                                                                                                     \
    if (__builtin_expect(flag, 0)) {                                                                               \
        take();                                                                                                    \
    }
#define EIGHT(what) what what what what what what what what

static seL4_Word pass_nothing(void)
{
    seL4_Word before = limen_counter();
    return limen_counter() - before;
}

static seL4_Word pass_keys(void)
{
    seL4_Word before = limen_counter();
    EIGHT(BRANCH(eight))
    return limen_counter() - before;
}

static seL4_Word pass_flags(void)
{
    seL4_Word before = limen_counter();
    EIGHT(TEST())
    return limen_counter() - before;
}

static void pass_one(void)
{
    BRANCH(one)
}

static void pass_sixty_four(void)
{
    EIGHT(EIGHT(BRANCH(sixty_four)))
}

static void measure_branches(seL4_Word (*pass)(void), const char *row)
{
    samples_start(&samples);
    while (samples_add(&samples, pass())) {
    }
    samples_print(&samples, row);
    bench_check(taken == 0, "a branch was taken that is off");
}

/* `pass` executes the branches that follow the key; none of them if there is no such code. */
static void measure_flips(seL4_Word id, void (*pass)(void), seL4_Word branches, const char *row)
{
    samples_start(&samples);
    for (int more = 1; more;) {
        seL4_Word before = limen_counter();
        seL4_Error error = limen_key_enable(id);
        seL4_Word after = limen_counter();
        bench_check(error == seL4_NoError, "a key was not switched on");
        taken = 0;
        pass();
        bench_check(taken == branches, "branches do not follow their key");
        bench_check(limen_key_disable(id) == seL4_NoError, "a key was not switched off");
        more = samples_add(&samples, after - before);
    }
    samples_print(&samples, row);
    taken = 0;
}

static void pass_eight(void)
{
    pass_keys();
}

static void pass_none(void)
{
}

void init(void)
{
    measure_branches(pass_nothing, "key_site branch=none copies=8");
    measure_branches(pass_keys, "key_site branch=key copies=8");
    measure_branches(pass_flags, "key_site branch=flag copies=8");
    measure_flips(0, pass_none, 0, "key_flip sites=0");
    measure_flips(1, pass_one, 1, "key_flip sites=1");
    measure_flips(2, pass_eight, 8, "key_flip sites=8");
    measure_flips(3, pass_sixty_four, 64, "key_flip sites=64");
    bench_done();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
