/* Runs on processor 0, at a priority at which nothing else runs there. */

#include "shared.h"
#include "test.h"

seL4_Word shared;

#define ROUNDS 20
#define CALL_OF(number) ((microkit_channel)(3 + (number)))

/* The loops end only if the others run. A hang fails the suite. */
static void every_processor_runs_its_program(void)
{
    for (seL4_Word number = 1; number < PROCESSORS; number++) {
        while (load(&all()->runner_rounds[number]) == 0) {
        }
        CHECK(load(&all()->runner_rounds[number]) > 0);
    }
}

static void processors_see_each_others_stores(void)
{
    while (all()->turns[0] < ROUNDS) {
        take_turn(0);
    }
    for (seL4_Word number = 1; number < PROCESSORS; number++) {
        CHECK(all()->turns[number] >= ROUNDS - 1);
    }
}

/* Neither of the two blocks, so both run only if the timer of their processor interrupts. */
static void every_processor_has_a_timer(void)
{
    for (seL4_Word number = 1; number < PROCESSORS; number++) {
        for (int times = 0; times < 2; times++) {
            seL4_Word twin = load(&all()->twin_rounds[number]);
            while (load(&all()->twin_rounds[number]) == twin) {
            }
            seL4_Word runner = load(&all()->runner_rounds[number]);
            while (load(&all()->runner_rounds[number]) == runner) {
            }
        }
        CHECK(load(&all()->twin_rounds[number]) > 1);
    }
}

static void notifications_cross(void)
{
    store(&all()->ends, 1);
    for (seL4_Word number = 1; number < PROCESSORS; number++) {
        for (int times = 0; times < 100; times++) {
            microkit_notify((microkit_channel)number);
            CHECK_EQUAL(wait_for_signals(), 1ul << number);
        }
    }
}

static void notifications_of_all_processors_arrive(void)
{
    seL4_Word arrived = 0;
    for (seL4_Word number = 1; number < PROCESSORS; number++) {
        microkit_notify((microkit_channel)number);
    }
    while (arrived != (1ul << PROCESSORS) - 2) {
        arrived |= wait_for_signals();
    }
    CHECK_EQUAL(arrived, (1ul << PROCESSORS) - 2);
    CHECK_EQUAL(poll_signals(), 0);
}

static void calls_cross(void)
{
    for (seL4_Word number = 1; number < PROCESSORS; number++) {
        for (seL4_Word words = 0; words <= 64; words += 16) {
            for (seL4_Word i = 0; i < words; i++) {
                microkit_mr_set(i, i + 7);
            }
            microkit_msginfo answer = microkit_ppcall(CALL_OF(number), microkit_msginfo_new(5, (seL4_Uint16)words));
            CHECK_EQUAL(microkit_msginfo_get_label(answer), 6);
            CHECK_EQUAL(microkit_msginfo_get_count(answer), words);
            for (seL4_Word i = 0; i < words; i++) {
                CHECK_EQUAL(microkit_mr_get(i), (i + 7) * 3 + number);
            }
        }
    }
}

void init(void)
{
    RUN(every_processor_runs_its_program);
    RUN(processors_see_each_others_stores);
    RUN(every_processor_has_a_timer);
    RUN(notifications_cross);
    RUN(notifications_of_all_processors_arrive);
    RUN(calls_cross);
    suite_end();
}

void notified(microkit_channel channel)
{
    (void)channel;
}
