/* Tests of both programs: cothreads that wait for another protection domain. */
#ifndef TESTS_WAITING_H
#define TESTS_WAITING_H

#include <libmicrokitco.h>
#include "test.h"

#define FIRST_ANSWER 1
#define SECOND_ANSWER 2
#define STACK_BYTES 0x2000

/* Above 4 GiB, where an address does not fit a signed or unsigned 32-bit number; set by the tool. */
uintptr_t high_controller;
uintptr_t high_stack;

static char stacks[3][STACK_BYTES];
static seL4_Word turns;
static seL4_Word sums[4];

static void start_library(void)
{
    co_err_t error = microkit_cothread_init(high_controller, STACK_BYTES, stacks[0], high_stack, stacks[1], stacks[2]);
    CHECK_EQUAL(error, co_no_err);
    CHECK(high_controller >> 32 && high_stack >> 32);
}

static void spawn_all(client_entry_t entry)
{
    microkit_cothread_t handle;
    for (uintptr_t i = 0; i < 4; i++) {
        CHECK_EQUAL(microkit_cothread_spawn(entry, true, &handle, i), co_no_err);
    }
}

/* More values than registers that calls preserve, all alive across a switch to the others. */
static seL4_Word sum_across_switches(seL4_Word seed)
{
    seL4_Word values[16];
    for (seL4_Word i = 0; i < 16; i++) {
        values[i] = seed * (i + 7);
        __asm__ volatile ("" : "+r"(values[i]));
    }
    microkit_cothread_yield();
    seL4_Word sum = 0;
    for (seL4_Word i = 0; i < 16; i++) {
        sum += values[i] * (i + 1);
    }
    return sum;
}

static void compute(void)
{
    uintptr_t number = 0;
    microkit_cothread_my_arg(&number);
    for (int round = 0; round < 5; round++) {
        sums[number] += sum_across_switches(number + 1);
    }
}

static void registers_survive_switches(void)
{
    seL4_Word expected[4] = { 0 };
    for (seL4_Word i = 0; i < 4; i++) {
        for (int round = 0; round < 5; round++) {
            expected[i] += sum_across_switches(i + 1);
        }
    }
    spawn_all(compute);
    microkit_cothread_run();
    for (int i = 0; i < 4; i++) {
        CHECK_EQUAL(sums[i], expected[i]);
    }
}

/* Two cothreads on each of two channels, so that both ways of waking are taken. */
static void ask_again_and_again(void)
{
    uintptr_t number = 0;
    microkit_cothread_my_arg(&number);
    microkit_channel ch = number % 2 ? FIRST_ANSWER : SECOND_ANSWER;
    for (int i = 0; i < 50; i++) {
        microkit_notify(ch);
        microkit_cothread_wait_on_channel(ch);
        turns++;
    }
}

static void message_words_survive_a_wait_where_asked(void)
{
    seL4_Word words[2];
    microkit_mr_set(0, 31);
    microkit_mr_set(1, 32);
    microkit_cothread_save_words(words, 2);
    spawn_all(compute);
    microkit_cothread_run();
    microkit_mr_set(0, 1);
    microkit_cothread_restore_words(words, 2);
    CHECK_EQUAL(microkit_mr_get(0), 31);
    CHECK_EQUAL(microkit_mr_get(1), 32);
}

static void stacks_tell_what_was_used(void)
{
    size_t bytes = 0;
    CHECK_EQUAL(microkit_cothread_stack_used(1, &bytes), co_no_err);
    CHECK(bytes > 0x40 && bytes < STACK_BYTES);
}

#endif /* TESTS_WAITING_H */
