/* The life cycle of a cothread: spawn, block, mark_ready, destroy, and the arguments of these calls. */

#include "seed.h"

static void handles_are_given_in_order_and_reused_oldest_first(void)
{
    test_start();
    for (int wanted = 1; wanted <= 4; wanted++) {
        CHECK_EQUAL(spawn(nothing), wanted);
    }
    bool available = true;
    CHECK_EQUAL(microkit_cothread_free_handle_available(&available), co_no_err);
    CHECK(!available);
    int handle = -5;
    CHECK_EQUAL(microkit_cothread_spawn(nothing, true, &handle, 0), co_err_spawn_max_cothreads_reached);
    CHECK_EQUAL(handle, -5);
    CHECK_EQUAL(microkit_cothread_destroy(3), co_no_err);
    CHECK_EQUAL(microkit_cothread_destroy(1), co_no_err);
    CHECK_EQUAL(microkit_cothread_free_handle_available(&available), co_no_err);
    CHECK(available);
    CHECK_EQUAL(spawn(nothing), 3);
    CHECK_EQUAL(spawn(nothing), 1);
}

static void spawn_refuses_null(void)
{
    test_start();
    int handle;
    CHECK_REFUSED(microkit_cothread_spawn(NULL, true, &handle, 0), co_err_spawn_client_entry_null);
    CHECK_REFUSED(microkit_cothread_spawn(nothing, true, NULL, 0), co_err_generic_null_result);
    CHECK_EQUAL(spawn(nothing), 1);
}

static void cothreads_run_in_the_order_in_which_they_became_ready(void)
{
    test_start();
    spawn(mark_and_yield);
    spawn(mark_and_yield);
    CHECK_TEXT(marks(), "");
    CHECK_EQUAL(microkit_cothread_yield(), co_no_err);
    mark('r');
    CHECK_TEXT(marks(), "12r");
    CHECK_EQUAL(microkit_cothread_yield(), co_no_err);
    CHECK_TEXT(marks(), "12r12");
}

static void run_returns_when_nobody_is_ready(void)
{
    test_start();
    spawn(mark_and_yield);
    spawn(mark_and_yield);
    CHECK_EQUAL(microkit_cothread_run(), co_no_err);
    CHECK_TEXT(marks(), "1212");
}

static void call_run(void)
{
    CHECK_EQUAL(microkit_cothread_run(), co_err_run_called_from_cothread);
}

static void run_is_for_the_root(void)
{
    test_start();
    spawn(call_run);
    CHECK_EQUAL(microkit_cothread_run(), co_no_err);
}

static void a_cothread_that_is_not_ready_waits_for_mark_ready(void)
{
    test_start();
    int handle;
    CHECK_EQUAL(microkit_cothread_spawn(mark_self, false, &handle, 0), co_no_err);
    CHECK_EQUAL(state(handle), cothread_initialised);
    microkit_cothread_yield();
    CHECK_TEXT(marks(), "");
    CHECK_EQUAL(microkit_cothread_mark_ready(handle), co_no_err);
    CHECK_EQUAL(state(handle), cothread_ready);
    CHECK_REFUSED(microkit_cothread_mark_ready(handle), co_err_mark_ready_already_ready);
    microkit_cothread_yield();
    CHECK_TEXT(marks(), "1");
    CHECK_EQUAL(state(handle), cothread_not_active);
}

static void check_argument(void)
{
    uintptr_t argument = 0;
    CHECK_EQUAL(microkit_cothread_my_arg(&argument), co_no_err);
    CHECK_EQUAL(argument, 0x1234);
    CHECK_EQUAL(microkit_cothread_set_arg(1, 0x77), co_no_err);
    CHECK_EQUAL(microkit_cothread_my_arg(&argument), co_no_err);
    CHECK_EQUAL(argument, 0x77);
}

static void arguments_reach_the_cothread(void)
{
    test_start();
    int handle;
    uintptr_t argument;
    CHECK_REFUSED(microkit_cothread_my_arg(&argument), co_err_my_arg_called_from_root_thread);
    CHECK_EQUAL(microkit_cothread_spawn(check_argument, true, &handle, 1), co_no_err);
    CHECK_EQUAL(microkit_cothread_set_arg(handle, 0x1234), co_no_err);
    CHECK_REFUSED(microkit_cothread_set_arg(0, 1), co_err_generic_invalid_handle);
    microkit_cothread_yield();
}

static void wrong_handles_are_refused_everywhere(void)
{
    static const int wrong[] = { -1, 5, 0x7fffffff, -0x7fffffff };
    test_start();
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        co_state_t found;
        size_t size;
        CHECK_REFUSED(microkit_cothread_query_state(wrong[i], &found), co_err_generic_invalid_handle);
        CHECK_REFUSED(microkit_cothread_mark_ready(wrong[i]), co_err_generic_invalid_handle);
        CHECK_REFUSED(microkit_cothread_destroy(wrong[i]), co_err_generic_invalid_handle);
        CHECK_REFUSED(microkit_cothread_join(wrong[i]), co_err_generic_invalid_handle);
        CHECK_REFUSED(microkit_cothread_set_name(wrong[i], "x"), co_err_generic_invalid_handle);
        CHECK_REFUSED(microkit_cothread_stack_used(wrong[i], &size), co_err_generic_invalid_handle);
    }
    CHECK_REFUSED(microkit_cothread_mark_ready(2), co_err_generic_invalid_handle);
    CHECK_REFUSED(microkit_cothread_mark_ready(0), co_err_mark_ready_cannot_mark_self);
}

static void results_may_not_be_null(void)
{
    test_start();
    CHECK_REFUSED(microkit_cothread_query_state(0, NULL), co_err_generic_null_result);
    CHECK_REFUSED(microkit_cothread_my_handle(NULL), co_err_generic_null_result);
    CHECK_REFUSED(microkit_cothread_free_handle_available(NULL), co_err_generic_null_result);
    spawn(nothing);
    CHECK_REFUSED(microkit_cothread_set_name(1, NULL), co_err_generic_null_result);
    CHECK_REFUSED(microkit_cothread_stack_used(1, NULL), co_err_generic_null_result);
}

/* Block and mark_ready. */

static void a_blocked_cothread_runs_after_mark_ready(void)
{
    test_start();
    spawn(block);
    microkit_cothread_yield();
    CHECK_EQUAL(state(1), cothread_blocked);
    CHECK_EQUAL(microkit_cothread_mark_ready(1), co_no_err);
    microkit_cothread_yield();
    CHECK_TEXT(marks(), "1");
}

static void mark_ready_refuses_who_waits_for_something(void)
{
    test_start();
    spawn(wait_on_5);
    spawn(wait_on_5);
    microkit_cothread_yield();
    CHECK_REFUSED(microkit_cothread_mark_ready(1), co_err_mark_ready_waiting);
    CHECK_EQUAL(microkit_cothread_recv_ntfn(5), co_no_err);
    CHECK_TEXT(marks(), "1212");
}

static void mark_root_ready(void)
{
    CHECK_EQUAL(microkit_cothread_mark_ready(0), co_no_err);
    CHECK_REFUSED(microkit_cothread_mark_ready(0), co_err_mark_ready_already_ready);
    CHECK_REFUSED(microkit_cothread_mark_ready(1), co_err_mark_ready_cannot_mark_self);
}

static void a_cothread_can_wake_the_blocked_root(void)
{
    test_start();
    spawn(mark_root_ready);
    CHECK_EQUAL(microkit_cothread_block(), co_no_err);
    CHECK_EQUAL(microkit_cothread_block(), co_err_generic_no_runnable_cothread);
}

/* Destroy. */

static void destroyed_cothreads_leave_their_queues(void)
{
    test_start();
    spawn(wait_on_5);
    spawn(wait_on_5);
    spawn(wait_on_5);
    microkit_cothread_yield();
    CHECK_EQUAL(microkit_cothread_destroy(2), co_no_err);
    CHECK_EQUAL(microkit_cothread_destroy(3), co_no_err);
    spawn(mark_self);
    CHECK_EQUAL(spawn(block), 2);
    microkit_cothread_yield();
    CHECK_EQUAL(microkit_cothread_recv_ntfn(5), co_no_err);
    CHECK_TEXT(marks(), "12341");
    CHECK_EQUAL(state(2), cothread_blocked);
}

static void a_handle_is_released_once(void)
{
    test_start();
    spawn(block);
    microkit_cothread_yield();
    CHECK_EQUAL(microkit_cothread_destroy(1), co_no_err);
    CHECK_REFUSED(microkit_cothread_destroy(1), co_err_generic_invalid_handle);
    for (int wanted = 2; wanted <= 4; wanted++) {
        CHECK_EQUAL(spawn(nothing), wanted);
    }
    CHECK_EQUAL(spawn(nothing), 1);
    int handle;
    CHECK_EQUAL(microkit_cothread_spawn(nothing, true, &handle, 0), co_err_spawn_max_cothreads_reached);
}

static void destroy_root(void)
{
    CHECK_EQUAL(microkit_cothread_destroy(0), co_err_destroy_specific_cannot_destroy_root);
    mark_self();
}

static void the_root_cannot_be_destroyed(void)
{
    test_start();
    CHECK_EQUAL(microkit_cothread_destroy(0), co_err_destroy_specific_cannot_destroy_root);
    spawn(destroy_root);
    microkit_cothread_yield();
    CHECK_TEXT(marks(), "1");
}

static void destroy_self(void)
{
    mark_self();
    microkit_cothread_destroy(1);
    mark('!');
}

static void a_cothread_may_destroy_itself(void)
{
    test_start();
    spawn(destroy_self);
    spawn(mark_self);
    microkit_cothread_yield();
    CHECK_TEXT(marks(), "12");
    CHECK_EQUAL(state(1), cothread_not_active);
    CHECK_REFUSED(microkit_cothread_join(1), co_err_generic_not_initialised);
}

static void respawned_handles_never_fill_the_queue(void)
{
    test_start();
    for (int i = 0; i < 100; i++) {
        int handle = spawn(mark_self);
        if (i % 3) {
            CHECK_EQUAL(microkit_cothread_destroy(handle), co_no_err);
        }
        if (i % 9 == 8) {
            microkit_cothread_yield();
        }
    }
    microkit_cothread_yield();
    for (int i = 1; i <= 4; i++) {
        CHECK_EQUAL(state(i), cothread_not_active);
    }
}

void life_tests(void)
{
    RUN(handles_are_given_in_order_and_reused_oldest_first);
    RUN(spawn_refuses_null);
    RUN(cothreads_run_in_the_order_in_which_they_became_ready);
    RUN(run_returns_when_nobody_is_ready);
    RUN(run_is_for_the_root);
    RUN(a_cothread_that_is_not_ready_waits_for_mark_ready);
    RUN(arguments_reach_the_cothread);
    RUN(wrong_handles_are_refused_everywhere);
    RUN(results_may_not_be_null);
    RUN(a_blocked_cothread_runs_after_mark_ready);
    RUN(mark_ready_refuses_who_waits_for_something);
    RUN(a_cothread_can_wake_the_blocked_root);
    RUN(destroyed_cothreads_leave_their_queues);
    RUN(a_handle_is_released_once);
    RUN(the_root_cannot_be_destroyed);
    RUN(a_cothread_may_destroy_itself);
    RUN(respawned_handles_never_fill_the_queue);
}
