/* Several cothreads wait for the same one, and the root for all of them. */

#include "joins.h"

#define MAGIC 42

static size_t magic;

static void joiner(void)
{
    size_t value = 0;
    microkit_cothread_t self;
    microkit_cothread_my_handle(&self);
    tell_co(self, ": joining co4\n");
    must(microkit_cothread_join(4, &value));
    magic += value;
    tell_co(self, value == MAGIC ? ": awaken with correct magic\n" : ": awaken with another value\n");
}

static void co4(void)
{
    tell("co4 returning magic\n");
    microkit_cothread_exit(MAGIC);
}

static void join_finished(microkit_cothread_t cothread)
{
    tell("root: joining co");
    say_number((unsigned long)cothread);
    say("\n");
    must(microkit_cothread_join(cothread));
}

void init(void)
{
    tell("starting\n");
    start();
    tell("libmicrokitco started\n");
    spawn(joiner);
    spawn(joiner);
    spawn(joiner);
    spawn(co4);
    tell("cothreads 1 2 3 4 spawned\n");
    join_finished(1);
    join_finished(2);
    join_finished(3);
    /* Each return value can be collected once. */
    if (magic == 3 * MAGIC && microkit_cothread_join(2) == co_err_generic_not_initialised) {
        tell("root: all magic CORRECT, finished OK\n");
    }
}
