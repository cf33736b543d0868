/* Branches on its own keys, and reports to its caller which branches it takes. */

#include <limen/static_key.h>

#include "branches.h"

LIMEN_STATIC_KEY_FALSE(traces);
static LIMEN_STATIC_KEY_TRUE(checks);
LIMEN_STATIC_KEY_FALSE(never_bound);
LIMEN_STATIC_KEY_TRUE(always);
LIMEN_STATIC_KEY_ARRAY_FALSE(levels, 3);
static LIMEN_STATIC_KEY_ARRAY_TRUE(limits, 2);

/* A separate copy for every use. Together they have more branches than the kernel patches in one batch. */
#define EIGHT(what) what what what what what what what what
#define BRANCH +limen_static_branch_unlikely(traces)
#define COPY(number)                                                                                               \
    static int copy_##number(void)                                                                                 \
    {                                                                                                              \
        return EIGHT(BRANCH) EIGHT(BRANCH) EIGHT(BRANCH) EIGHT(BRANCH);                                            \
    }
COPY(0) COPY(1) COPY(2) COPY(3) COPY(4) COPY(5) COPY(6) COPY(7)

static int (*const volatile copies[])(void) = { copy_0, copy_1, copy_2, copy_3, copy_4, copy_5, copy_6, copy_7 };

static seL4_Word traces_taken(void)
{
    seL4_Word taken = traces_elsewhere();
    for (unsigned i = 0; i < sizeof(copies) / sizeof(copies[0]); i++) {
        taken += (seL4_Word)copies[i]();
    }
    return taken;
}

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)ch;
}

microkit_msginfo protected(microkit_channel ch, microkit_msginfo msginfo)
{
    (void)ch;
    (void)msginfo;
    microkit_mr_set(TRACES, traces_taken());
    microkit_mr_set(CHECKS, limen_static_branch_likely(checks) ? 1 : 0);
    microkit_mr_set(UNBOUND, (limen_static_branch_unlikely(never_bound) ? 1u : 0u) |
                                 (limen_static_branch_unlikely(always) ? 2u : 0u) |
                                 (limen_static_branch_likely(always) ? 4u : 0u));
    microkit_mr_set(ELEMENTS, (limen_static_branch_unlikely(levels[0]) ? 1u : 0u) |
                                  (limen_static_branch_likely(levels[1]) ? 2u : 0u) |
                                  (limen_static_branch_unlikely(levels[2]) ? 4u : 0u) |
                                  (limen_static_branch_likely(limits[0]) ? 8u : 0u) |
                                  (limen_static_branch_unlikely(limits[1]) ? 16u : 0u));
    return microkit_msginfo_new(0, WORDS);
}
