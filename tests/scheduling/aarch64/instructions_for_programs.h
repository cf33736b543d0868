/* Instructions for time, caches and waiting that programs may use. Part of the tester. */

#include "test.h"

/* Bits of CNTP_CTL_EL0. Source: ARM DDI 0487, D17.8. */
#define TIMER_ENABLE 1ul
#define TIMER_MASK 2ul
#define TIMER_CONDITION 4ul

#define LINE_BYTES 64

#define READ(name)                                                \
    __extension__({                                               \
        seL4_Word read_value;                                     \
        __asm__ volatile ("isb\n\tmrs %0, " name : "=r"(read_value) : : "memory"); \
        read_value;                                               \
    })
#define WRITE(name, value) __asm__ volatile ("msr " name ", %0\n\tisb" : : "r"((seL4_Word)(value)) : "memory")

static void counters_count(void)
{
    CHECK(READ("cntfrq_el0") > 0);
    seL4_Word virtual_time = READ("cntvct_el0");
    seL4_Word physical_time = READ("cntpct_el0");
    for (volatile int i = 0; i < 100000; i++) {
    }
    CHECK(READ("cntvct_el0") > virtual_time);
    CHECK(READ("cntpct_el0") > physical_time);
}

static void the_physical_timer_belongs_to_programs(void)
{
    seL4_Word due = READ("cntpct_el0") + READ("cntfrq_el0") / 1000;
    WRITE("cntp_cval_el0", due);
    WRITE("cntp_ctl_el0", TIMER_ENABLE | TIMER_MASK);
    CHECK_EQUAL(READ("cntp_cval_el0"), due);
    while (!(READ("cntp_ctl_el0") & TIMER_CONDITION)) {
    }
    CHECK(READ("cntpct_el0") >= due);
    WRITE("cntp_tval_el0", 1000000);
    CHECK_EQUAL(READ("cntp_ctl_el0"), TIMER_ENABLE | TIMER_MASK);
    WRITE("cntp_ctl_el0", 0);
}

static void cache_maintenance_is_allowed(void)
{
    static seL4_Word line[2 * LINE_BYTES / 8] __attribute__((aligned(LINE_BYTES)));
    line[0] = 1;
    __asm__ volatile ("dc cvac, %0\n\tdc cvau, %0\n\tdc civac, %0\n\tdsb sy" : : "r"(line) : "memory");
    __asm__ volatile ("ic ivau, %0\n\tdsb ish\n\tisb" : : "r"(&cache_maintenance_is_allowed) : "memory");
    CHECK_EQUAL(line[0], 1);
    CHECK(READ("ctr_el0") != 0);
}

static void memory_can_be_zeroed_by_lines(void)
{
    static seL4_Word block[4096 / 8] __attribute__((aligned(4096)));
    seL4_Word size = READ("dczid_el0");
    CHECK_EQUAL(size & 0x10, 0);
    seL4_Word words = (4ul << (size & 0xf)) / 8;
    for (seL4_Word i = 0; i < words + 1; i++) {
        block[i] = i + 1;
    }
    __asm__ volatile ("dc zva, %0" : : "r"(block) : "memory");
    for (seL4_Word i = 0; i < words; i++) {
        CHECK_EQUAL(*(volatile seL4_Word *)&block[i], 0);
    }
    CHECK_EQUAL(*(volatile seL4_Word *)&block[words], words + 1);
}

static void waiting_for_an_event_is_allowed(void)
{
    seL4_Word failed;
    static seL4_Word place;
    __asm__ volatile ("sev\n\twfe\n\tyield" : : : "memory");
    __asm__ volatile ("1: ldaxr x9, [%1]\n\tadd x9, x9, #5\n\tstlxr %w0, x9, [%1]\n\tcbnz %w0, 1b"
                      : "=&r"(failed) : "r"(&place) : "x9", "memory");
    CHECK_EQUAL(*(volatile seL4_Word *)&place, 5);
}

static void test_instructions(void)
{
    RUN(counters_count);
    RUN(the_physical_timer_belongs_to_programs);
    RUN(cache_maintenance_is_allowed);
    RUN(memory_can_be_zeroed_by_lines);
    RUN(waiting_for_an_event_is_allowed);
}
