/* Instructions for time, caches and waiting that programs may use. Part of the tester. */

#include "test.h"

static seL4_Word read_time(void)
{
    seL4_Word time;
    __asm__ volatile ("rdtime %0" : "=r"(time) : : "memory");
    return time;
}

static void time_passes(void)
{
    seL4_Word time = read_time();
    for (volatile int i = 0; i < 100000; i++) {
    }
    CHECK(read_time() > time);
}

static void fences_are_allowed(void)
{
    __asm__ volatile ("fence\n\tfence.i\n\tfence w, o" : : : "memory");
}

static void atomic_instructions_work(void)
{
    static seL4_Word place;
    seL4_Word failed, old = 7;
    __asm__ volatile ("1: lr.d %0, (%1)\n\taddi %0, %0, 5\n\tsc.d %0, %0, (%1)\n\tbnez %0, 1b"
                      : "=&r"(failed) : "r"(&place) : "memory");
    CHECK_EQUAL(*(volatile seL4_Word *)&place, 5);
    __asm__ volatile ("amoadd.d %0, %0, (%1)" : "+r"(old) : "r"(&place) : "memory");
    CHECK_EQUAL(old, 5);
    CHECK_EQUAL(*(volatile seL4_Word *)&place, 12);
}

static void test_instructions(void)
{
    RUN(time_passes);
    RUN(fences_are_allowed);
    RUN(atomic_instructions_work);
}
