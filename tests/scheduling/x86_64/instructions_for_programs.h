/* Instructions for time, identification and waiting that programs may use. Part of the tester. */

#include "test.h"

static seL4_Word read_time(void)
{
    seL4_Word low, high;
    __asm__ volatile ("rdtsc" : "=a"(low), "=d"(high) : : "memory");
    return high << 32 | low;
}

static void time_passes(void)
{
    seL4_Word time = read_time();
    for (volatile int i = 0; i < 100000; i++) {
    }
    CHECK(read_time() > time);
}

static void the_processor_tells_what_it_is(void)
{
    seL4_Uint32 highest = 0, b, c = 0, d;
    __asm__ volatile ("cpuid" : "+a"(highest), "=b"(b), "+c"(c), "=d"(d));
    CHECK(highest >= 7);
    __asm__ volatile ("mfence\n\tlfence\n\tsfence\n\tpause" : : : "memory");
}

static void atomic_instructions_work(void)
{
    static seL4_Word place;
    seL4_Word old = 5;
    __asm__ volatile ("lock xaddq %0, %1" : "+r"(old), "+m"(place) : : "memory");
    CHECK_EQUAL(old, 0);
    CHECK_EQUAL(*(volatile seL4_Word *)&place, 5);
}

static void test_instructions(void)
{
    RUN(time_passes);
    RUN(the_processor_tells_what_it_is);
    RUN(atomic_instructions_work);
}
