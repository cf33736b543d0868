/* Joins in a ring: the last join returns the deadlock error. */

#include "joins.h"

static void co3(void)
{
    tell("co3: joining co1\n");
    if (microkit_cothread_join(1) == co_err_join_deadlock_detected) {
        tell("co3: DEADLOCK DETECTED...OK\n");
    }
}

static void co2(void)
{
    tell("co2: joining co3\n");
    must(microkit_cothread_join(3));
}

static void co1(void)
{
    tell("co1: joining co2\n");
    must(microkit_cothread_join(2));
}

void init(void)
{
    tell("starting\n");
    start();
    tell("libmicrokitco started\n");
    spawn(co1);
    spawn(co2);
    spawn(co3);
    tell("cothreads spawned\n");
    tell("root: joining co1\n");
    must(microkit_cothread_join(1));
    tell("root: finished ok\n");
}
