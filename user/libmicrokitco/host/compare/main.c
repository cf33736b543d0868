/* Times switches of several libraries in one run. Each figure is the shortest of many short rounds. The rounds of all
 * libraries alternate, so that other load on the machine affects all of them alike. */

#include <stdio.h>
#include <time.h>
#include "compare.h"

/* A multiple of 10001, the number of threads in one of the rows. */
#define SWITCHES 200020l
#define ROUNDS 60

/* Rows of libraries that the Makefile did not find say so. */
#if !defined(COMPARE_boost)
#define boost_fcontext 0
#define boost_fiber 0
#endif
#if !defined(COMPARE_pth)
#define pth_contexts 0
#endif
#if !defined(COMPARE_libco)
#define libco_switch 0
#endif
#if !defined(COMPARE_rounding)
#define cothreads_rounding 0
#endif
#if !defined(COMPARE_plain)
#define plain_return 0
#define plain_jump 0
#endif

static struct {
    const char *name;
    /* In rows. */
    const char *word;
    exchange_t exchange;
    /* What to do to have it measured. */
    const char *missing;
    void (*start)(void);
    double shortest;
} libraries[] = {
    { "cothreads, the switch alone", "cothreads", cothreads_bare, 0, 0, 1e9 },
    { "cothreads, with its own rounding", "cothreads_own_rounding", cothreads_rounding, "x86_64 only", 0, 1e9 },
    { "cothreads, yield of 2 threads", "yield_2", cothreads_yield, 0, cothreads_start_one, 1e9 },
    { "cothreads, yield of 10001 threads", "yield_10001", cothreads_yield, 0, cothreads_start_ten_thousand, 1e9 },
    { "six registers on the stack, jump", "plain_jump", plain_jump, "x86_64 only", 0, 1e9 },
    { "six registers on the stack, return", "plain_return", plain_return, "x86_64 only", 0, 1e9 },
    { "libco, co_switch", "libco", libco_switch, "set LIBCO_PATH to a folder with libco.h and libco.c", 0, 1e9 },
    { "Boost.Context, jump_fcontext", "boost_fcontext", boost_fcontext, "install libboost-context-dev", 0, 1e9 },
    { "Boost.Context, fiber", "boost_fiber", boost_fiber, "install libboost-context-dev", 0, 1e9 },
    { "GNU Pth, pth_uctx_switch", "pth", pth_contexts, "install libpth-dev", 0, 1e9 },
    { "C library, swapcontext", "swapcontext", system_contexts, 0, 0, 1e9 },
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
            if (libraries[i].exchange) {
                time_library(i);
            }
        }
    }
    printf("%-36s %10s %8s\n", "one switch", "ns", "ratio");
    for (size_t i = 0; i < COUNT; i++) {
        if (libraries[i].exchange) {
            printf("%-36s %10.2f %8.2f\n", libraries[i].name, libraries[i].shortest,
                   libraries[i].shortest / libraries[0].shortest);
            /* Picoseconds. */
            printf("ROW name=switch of=%s samples=%.0f\n", libraries[i].word, libraries[i].shortest * 1000);
        } else {
            printf("%-36s not measured: %s\n", libraries[i].name, libraries[i].missing);
        }
    }
    return 0;
}
