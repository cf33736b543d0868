/* Switches two dozen keys one by one and as a group, like the tracepoints of one part of a program.
 *
 * key_group: between the two reads, all keys are switched on: by a limen_key_enable for each of them (switch=each), or by one
 * for their group (switch=group). */

#include <limen/static_key.h>

#include "samples.h"

/* Ids 0 to 23 are the keys, and the next one is their group. */
#define KEYS 24
LIMEN_STATIC_KEY_ARRAY_FALSE(points, KEYS);

#define FOUR(what) what what what what
#define TEN(what) what what what what what what what what what what
#if defined(BRANCHES_4)
#define ALL(what) FOUR(what)
#elif defined(BRANCHES_100)
#define ALL(what) TEN(TEN(what))
#else
#error "BRANCHES must be 4 or 100"
#endif

static struct samples samples;
/* The number of branches taken. */
static seL4_Word taken;

#define BRANCH(point)                                                                                              \
    if (limen_static_branch_unlikely(points[point])) {                                                             \
        taken++;                                                                                                   \
    }
#define PASS(point)                                                                                                \
    static __attribute__((noinline)) void pass_##point(void)                                                       \
    {                                                                                                              \
        ALL(BRANCH(point))                                                                                         \
    }
#define CALL(point) pass_##point();
#define EACH(what)                                                                                                 \
    what(0) what(1) what(2) what(3) what(4) what(5) what(6) what(7) what(8) what(9) what(10) what(11) what(12)     \
        what(13) what(14) what(15) what(16) what(17) what(18) what(19) what(20) what(21) what(22) what(23)

EACH(PASS)

static void pass_all(void)
{
    EACH(CALL)
}

static seL4_Error change_each(seL4_Error (*change)(seL4_Word))
{
    seL4_Error error = seL4_NoError;
    for (seL4_Word id = 0; id < KEYS && error == seL4_NoError; id++) {
        error = change(id);
    }
    return error;
}

static seL4_Error change_group(seL4_Error (*change)(seL4_Word))
{
    return change(KEYS);
}

static void measure(seL4_Error (*change_all)(seL4_Error (*)(seL4_Word)), const char *row)
{
    samples_start(&samples);
    for (int more = 1; more;) {
        seL4_Word before = limen_counter();
        seL4_Error error = change_all(limen_key_enable);
        seL4_Word after = limen_counter();
        bench_check(error == seL4_NoError, "the keys were not switched on");
        taken = 0;
        pass_all();
        bench_check(taken == KEYS * BRANCHES, "branches do not follow their keys");
        bench_check(change_all(limen_key_disable) == seL4_NoError, "the keys were not switched off");
        pass_all();
        bench_check(taken == KEYS * BRANCHES, "branches follow keys that are off");
        more = samples_add(&samples, after - before);
    }
    samples_print(&samples, row);
}

void init(void)
{
    measure(change_each, "key_group switch=each" ROW_PARAMETER("keys", KEYS) ROW_PARAMETER("branches", BRANCHES));
    measure(change_group, "key_group switch=group" ROW_PARAMETER("keys", KEYS) ROW_PARAMETER("branches", BRANCHES));
    bench_done();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
