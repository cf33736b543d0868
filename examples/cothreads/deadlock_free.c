/* A chain of joins that passes a value up. */

#include "joins.h"

static void co3(void)
{
    tell("co3: return magic 1\n");
    microkit_cothread_exit(1);
}

static void co2(void)
{
    size_t value = 0;
    tell("co2: joining co3\n");
    must(microkit_cothread_join(3, &value));
    tell(value == 1 ? "co2: magic 1 correct, return magic 2\n" : "co2: another value\n");
    microkit_cothread_exit(2);
}

static void co1(void)
{
    size_t value = 0;
    tell("co1: joining co2\n");
    must(microkit_cothread_join(2, &value));
    tell(value == 2 ? "co1: magic 2 correct, returning magic 3\n" : "co1: another value\n");
    microkit_cothread_exit(3);
}

void init(void)
{
    size_t value = 0;
    tell("starting\n");
    start();
    tell("libmicrokitco started\n");
    spawn(co1);
    spawn(co2);
    spawn(co3);
    tell("cothreads spawned\n");
    tell("root: joining co1\n");
    must(microkit_cothread_join(1, &value));
    tell(value == 3 ? "root: magic 3 correct\n" : "root: another value\n");
    say("LIMEN|DONE\n");
}
