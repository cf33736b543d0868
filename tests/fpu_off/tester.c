/* Looks at the counters of a system without floating point. */

#include <limen.h>

#include "test.h"

#define CHAIN 1

static void check_nothing(void)
{
    limen_fpu_counters_t now;
    CHECK_EQUAL(limen_fpu_counters(&now), seL4_NoError);
    CHECK_EQUAL(now.saves | now.loads | now.enables | now.disables | now.faults, 0);
}

static void nothing_happens_during_boot(void)
{
    check_nothing();
}

static void nothing_happens_during_calls(void)
{
    for (int i = 0; i < 1000; i++) {
        microkit_ppcall(CHAIN, microkit_msginfo_new(0, 0));
    }
    check_nothing();
}

void init(void)
{
    RUN(nothing_happens_during_boot);
    RUN(nothing_happens_during_calls);
    suite_end();
}

void notified(microkit_channel ch)
{
    (void)ch;
}
