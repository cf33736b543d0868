/* Times switches of several libraries in one run. Each figure is the shortest of many short rounds. The rounds of all
 * libraries alternate, so that other load on the machine affects all of them alike. */

#include <stdio.h>
#include <time.h>
#include "compare.h"

/* A multiple of 10001, the number of threads in one of the rows. */
#define SWITCHES 200020l
#define ROUNDS 60

static struct {
    const char *name;
    void (*start)(void);
    exchange_t exchange;
    double shortest;
} libraries[] = {
    { "cothreads, the switch alone", 0, cothreads_bare, 1e9 },
    { "cothreads, yield of 2 threads", cothreads_start_one, cothreads_yield, 1e9 },
    { "cothreads, yield of 10001 threads", cothreads_start_ten_thousand, cothreads_yield, 1e9 },
    { "Boost.Context, jump_fcontext", 0, boost_fcontext, 1e9 },
    { "Boost.Context, fiber", 0, boost_fiber, 1e9 },
    { "GNU Pth, pth_uctx_switch", 0, pth_contexts, 1e9 },
    { "C library, swapcontext", 0, system_contexts, 1e9 },
};

#define COUNT (sizeof(libraries) / sizeof(libraries[0]))

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void time_library(size_t index)
{
    if (libraries[index].start) {
        libraries[index].start();
    }
    for (int pass = 0; pass < 2; pass++) {
        double before = now();
        libraries[index].exchange(SWITCHES);
        double time = (now() - before) / SWITCHES;
        libraries[index].shortest = time < libraries[index].shortest ? time : libraries[index].shortest;
    }
}

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < COUNT; i++) {
            time_library(i);
        }
    }
    printf("%-36s %10s %8s\n", "one switch", "ns", "ratio");
    for (size_t i = 0; i < COUNT; i++) {
        printf("%-36s %10.2f %8.2f\n", libraries[i].name, libraries[i].shortest,
               libraries[i].shortest / libraries[0].shortest);
    }
    return 0;
}
