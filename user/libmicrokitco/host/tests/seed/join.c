/* Joins: values, cycles, and targets that are destroyed. */

#include "seed.h"

static void return_7(void)
{
    mark_self();
    microkit_cothread_exit(7);
    mark('!');
}

static void join_4(void)
{
    size_t value = 0;
    CHECK_EQUAL(microkit_cothread_join(4, &value), co_no_err);
    CHECK_EQUAL(value, 7);
    mark_self();
}

static void everybody_who_joins_gets_the_value_in_order(void)
{
    test_start();
    spawn(join_4);
    spawn(join_4);
    spawn(join_4);
    spawn(return_7);
    size_t value = 0;
    CHECK_EQUAL(microkit_cothread_join(4, &value), co_no_err);
    CHECK_EQUAL(value, 7);
    CHECK_TEXT(marks(), "4");
    microkit_cothread_yield();
    CHECK_TEXT(marks(), "4123");
    CHECK_REFUSED(microkit_cothread_join(4), co_err_generic_not_initialised);
}

static void a_value_that_nobody_waited_for_is_collected_once(void)
{
    test_start();
    spawn(return_7);
    microkit_cothread_yield();
    size_t value = 0;
    CHECK_EQUAL(microkit_cothread_join(1, &value), co_no_err);
    CHECK_EQUAL(value, 7);
    CHECK_REFUSED(microkit_cothread_join(1, &value), co_err_generic_not_initialised);
}

static void spawn_forgets_what_the_handle_returned_before(void)
{
    test_start();
    spawn(return_7);
    microkit_cothread_yield();
    for (int i = 0; i < 4; i++) {
        spawn(block);
    }
    CHECK_EQUAL(microkit_cothread_destroy(1), co_no_err);
    CHECK_REFUSED(microkit_cothread_join(1), co_err_generic_not_initialised);
}

static void plain_return_is_0(void)
{
    test_start();
    spawn(nothing);
    size_t value = 9;
    CHECK_EQUAL(microkit_cothread_join(1, &value), co_no_err);
    CHECK_EQUAL(value, 0);
}

static size_t return_9(void)
{
    mark_self();
    microkit_cothread_yield();
    return 9;
}

static size_t exit_with_8(void)
{
    microkit_cothread_exit(8);
    return 9;
}

static void the_value_that_an_entry_function_returns_reaches_join(void)
{
    test_start();
    int handle;
    size_t value = 0;
    CHECK_EQUAL(microkit_cothread_spawn(return_9, true, &handle, 0), co_no_err);
    CHECK_EQUAL(microkit_cothread_join(handle, &value), co_no_err);
    CHECK_EQUAL(value, 9);
    CHECK_EQUAL(microkit_cothread_spawn(exit_with_8, true, &handle, 0), co_no_err);
    CHECK_EQUAL(microkit_cothread_join(handle, &value), co_no_err);
    CHECK_EQUAL(value, 8);
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(microkit_cothread_spawn(nothing, true, &handle, 0), co_no_err);
        CHECK_EQUAL(microkit_cothread_join(handle, &value), co_no_err);
        CHECK_EQUAL(value, 0);
    }
    CHECK_TEXT(marks(), "1");
}

static void join_next(void)
{
    microkit_cothread_t self;
    microkit_cothread_my_handle(&self);
    mark_self();
    co_err_t error = microkit_cothread_join(self % 4 + 1);
    mark(error == co_err_join_deadlock_detected ? 'D' : error == co_no_err ? 'o' : '?');
}

static void a_ring_of_joins_is_found(void)
{
    test_start();
    for (int i = 0; i < 4; i++) {
        spawn(join_next);
    }
    CHECK_EQUAL(microkit_cothread_join(1), co_no_err);
    CHECK_TEXT(marks(), "1234Dooo");
}

static void join_self(void)
{
    CHECK_EQUAL(microkit_cothread_join(1), co_err_join_deadlock_detected);
    CHECK_EQUAL(microkit_cothread_join(0), co_err_join_cannot_join_to_root_thread);
    mark_self();
}

static void nobody_joins_itself_or_the_root(void)
{
    test_start();
    spawn(join_self);
    CHECK_EQUAL(microkit_cothread_join(1), co_no_err);
    CHECK_EQUAL(microkit_cothread_join(0), co_err_join_cannot_join_to_root_thread);
    CHECK_TEXT(marks(), "1");
}

static void join_2_then_wait(void)
{
    CHECK_EQUAL(microkit_cothread_join(2), co_no_err);
    microkit_cothread_block();
}

static void join_1(void)
{
    microkit_cothread_yield();
    co_err_t error = microkit_cothread_join(1);
    CHECK_EQUAL(error, co_no_err);
    mark_self();
}

/* Cothread 1 joined 2 and has continued; a new cothread 2 that joins 1 is no deadlock. */
static void a_join_that_ended_is_forgotten(void)
{
    test_start();
    spawn(join_2_then_wait);
    spawn(nothing);
    spawn(block);
    spawn(block);
    microkit_cothread_run();
    microkit_cothread_destroy(3);
    microkit_cothread_destroy(4);
    CHECK_EQUAL(spawn(join_1), 2);
    microkit_cothread_run();
    CHECK_EQUAL(state(2), cothread_blocked_on_join);
    microkit_cothread_mark_ready(1);
    microkit_cothread_run();
    CHECK_TEXT(marks(), "2");
}

static void join_destroyed(void)
{
    size_t value = 5;
    CHECK_EQUAL(microkit_cothread_join(2, &value), co_err_join_target_destroyed);
    mark_self();
}

static void joiners_of_a_destroyed_cothread_hear_of_it(void)
{
    test_start();
    spawn(join_destroyed);
    spawn(block);
    microkit_cothread_yield();
    CHECK_EQUAL(microkit_cothread_destroy(2), co_no_err);
    microkit_cothread_yield();
    CHECK_TEXT(marks(), "1");
}

static void a_destroyed_joiner_is_forgotten(void)
{
    test_start();
    spawn(join_4);
    spawn(join_4);
    spawn(block);
    spawn(return_7);
    int joiner = 1;
    microkit_cothread_destroy(joiner);
    microkit_cothread_run();
    CHECK_TEXT(marks(), "42");
}

static void the_root_hears_that_a_join_cannot_end(void)
{
    test_start();
    spawn(wait_on_5);
    CHECK_EQUAL(microkit_cothread_join(1), co_err_generic_no_runnable_cothread);
    CHECK_EQUAL(microkit_cothread_recv_ntfn(5), co_no_err);
    CHECK_EQUAL(microkit_cothread_join(1), co_no_err);
    CHECK_EQUAL(microkit_cothread_exit(1), co_err_exit_called_from_root_thread);
}

void join_tests(void)
{
    RUN(everybody_who_joins_gets_the_value_in_order);
    RUN(a_value_that_nobody_waited_for_is_collected_once);
    RUN(spawn_forgets_what_the_handle_returned_before);
    RUN(plain_return_is_0);
    RUN(the_value_that_an_entry_function_returns_reaches_join);
    RUN(a_ring_of_joins_is_found);
    RUN(nobody_joins_itself_or_the_root);
    RUN(a_join_that_ended_is_forgotten);
    RUN(joiners_of_a_destroyed_cothread_hear_of_it);
    RUN(a_destroyed_joiner_is_forgotten);
    RUN(the_root_hears_that_a_join_cannot_end);
}
