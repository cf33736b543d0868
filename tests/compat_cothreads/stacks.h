/* Memory for cothreads. */
#ifndef STACKS_H
#define STACKS_H

#define STACK_BYTES 0x1000
static char stacks[5][STACK_BYTES] __attribute__((aligned(16)));

/* How many cothreads have run. */
static unsigned int ended;

static void end(void)
{
    ended++;
}

#endif /* STACKS_H */
