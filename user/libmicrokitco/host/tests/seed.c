/* The first interface, function by function: life cycle, scheduling, joins, notifications, and every misuse. The file is
 * compiled with each of the options and tests what an option changes. */

#include "test.h"

void init(void)
{
}

void notified(microkit_channel ch)
{
    (void)microkit_cothread_recv_ntfn(ch);
}

static microkit_cothread_t spawn(client_entry_t entry)
{
    microkit_cothread_t handle = -1;
    CHECK_EQUAL(microkit_cothread_spawn(entry, true, &handle, 0), co_no_err);
    return handle;
}

static co_state_t state(microkit_cothread_t handle)
{
    co_state_t found = cothread_not_active;
    CHECK_EQUAL(microkit_cothread_query_state(handle, &found), co_no_err);
    return found;
}

static void mark_self(void)
{
    microkit_cothread_t self;
    CHECK_EQUAL(microkit_cothread_my_handle(&self), co_no_err);
    mark((char)('0' + self));
}

static void mark_and_yield(void)
{
    mark_self();
    CHECK_EQUAL(microkit_cothread_yield(), co_no_err);
    mark_self();
}

static void wait_on_5(void)
{
    mark_self();
    CHECK_EQUAL(microkit_cothread_wait_on_channel(5), co_no_err);
    mark_self();
}

static void wait_on_6(void)
{
    CHECK_EQUAL(microkit_cothread_wait_on_channel(6), co_no_err);
    mark_self();
}

static void block(void)
{
    CHECK_EQUAL(microkit_cothread_block(), co_no_err);
    mark_self();
}

static void nothing(void)
{
}

/* Before init. */

static void calls_before_init_say_so(void)
{
    co_state_t found;
    bool flag;
    int handle;
    uintptr_t argument;
    size_t size;
    const co_err_t expected = co_err_generic_not_initialised;
    CHECK(expected != co_no_err);
    CHECK_REFUSED(microkit_cothread_spawn(nothing, true, &handle, 0), expected);
    CHECK_REFUSED(microkit_cothread_query_state(0, &found), expected);
    CHECK_REFUSED(microkit_cothread_free_handle_available(&flag), expected);
    CHECK_REFUSED(microkit_cothread_my_handle(&handle), expected);
    CHECK_REFUSED(microkit_cothread_my_arg(&argument), expected);
    CHECK_REFUSED(microkit_cothread_set_arg(1, 0), expected);
    CHECK_REFUSED(microkit_cothread_mark_ready(1), expected);
    CHECK_REFUSED(microkit_cothread_recv_ntfn(0), expected);
    CHECK_REFUSED(microkit_cothread_yield(), expected);
    CHECK_REFUSED(microkit_cothread_run(), expected);
    CHECK_REFUSED(microkit_cothread_wait_on_channel(0), expected);
    CHECK_REFUSED(microkit_cothread_block(), expected);
    CHECK_REFUSED(microkit_cothread_destroy(1), expected);
    CHECK_REFUSED(microkit_cothread_join(1), expected);
    CHECK_REFUSED(microkit_cothread_exit(1), expected);
    CHECK_REFUSED(microkit_cothread_set_name(1, "x"), expected);
    CHECK_REFUSED(microkit_cothread_stack_used(1, &size), expected);
    CHECK_TEXT(microkit_cothread_name(1), "");
}

static void yield_and_block_before_the_first_spawn_return(void)
{
    test_start();
    CHECK_EQUAL(microkit_cothread_yield(), co_no_err);
    CHECK_EQUAL(microkit_cothread_block(), co_err_generic_no_runnable_cothread);
    CHECK_EQUAL(state(0), cothread_running);
}

/* Init. */

static co_err_t init_with(uintptr_t memory, size_t size, uintptr_t third)
{
    return microkit_cothread_init(memory, size, test_stack(0), test_stack(1), third, test_stack(3));
}

static void init_checks_what_it_is_given(void)
{
    uintptr_t memory = (uintptr_t)test_controller;
    CHECK_EQUAL(init_with(memory, 0xfff, test_stack(2)), co_err_init_stack_too_small);
    CHECK_EQUAL(init_with(memory, 0x1000, 0), co_err_init_co_stack_null);
    CHECK_EQUAL(init_with(0, 0x1000, test_stack(2)), co_err_init_controller_null);
    CHECK_EQUAL(init_with(memory, 0x1000, UINTPTR_MAX - 0xff0), co_err_init_co_stack_wraps);
    CHECK_EQUAL(microkit_cothread_init_array(memory, 0x1000, NULL), co_err_init_co_stack_null);
    int handle;
    CHECK_REFUSED(microkit_cothread_my_handle(&handle), co_err_generic_not_initialised);
    CHECK_EQUAL(init_with(memory, 0x1000, test_stack(2)), co_no_err);
    CHECK_EQUAL(init_with(memory, 0x1000, test_stack(2)), co_err_init_already_initialised);
}

static void overlaps_are_refused(void)
{
    if (!LIMEN_CO_CHECKS) {
        return;
    }
    uintptr_t memory = (uintptr_t)test_controller;
    CHECK_EQUAL(init_with(memory, 0x1000, test_stack(1) + 0xfff), co_err_init_co_stack_overlap);
    CHECK_EQUAL(init_with(memory, 0x1000, test_stack(1) - 0xfff), co_err_init_co_stack_overlap);
    CHECK_EQUAL(init_with(test_stack(1) + 0x800, 0x4000, test_stack(2)), co_err_init_co_stack_overlap);
    /* A size that does not fit into 32 bits. */
    CHECK_EQUAL(init_with(memory, 0x100000800, test_stack(2)), co_err_init_co_stack_overlap);
    CHECK_EQUAL(init_with(memory, 0x1000, test_stack(1) + 0x1000), co_no_err);
}

static void memory_of_any_alignment_is_taken(void)
{
    for (uintptr_t shift = 1; shift < 16; shift += 2) {
        static char memory[LIBMICROKITCO_CONTROLLER_SIZE + 16];
        limen_host_reset();
        CHECK_EQUAL(init_with((uintptr_t)memory + shift, 0x1000 + shift, test_stack(2) + shift), co_no_err);
        memory[LIBMICROKITCO_CONTROLLER_SIZE + shift] = 'x';
        for (int i = 0; i < LIBMICROKITCO_MAX_COTHREADS; i++) {
            spawn(mark_self);
        }
        CHECK_EQUAL(microkit_cothread_yield(), co_no_err);
        CHECK_EQUAL(memory[LIBMICROKITCO_CONTROLLER_SIZE + shift], 'x');
    }
}

static void init_takes_pointers_and_integers(void)
{
    char *first = (char *)test_stack(0);
    CHECK_EQUAL(microkit_cothread_init((uintptr_t)test_controller, 0x1000, first, test_stack(1), (void *)test_stack(2),
                                       test_stack(3), 0x1000),
                co_no_err);
}

static void a_controller_for_four_fits_one_page(void)
{
    CHECK(LIBMICROKITCO_CONTROLLER_SIZE <= 0x1000);
}

/* Spawn and its order. */

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

/* Channels. */

static void one_waiting_cothread_runs_at_once(void)
{
    test_start();
    spawn(wait_on_5);
    microkit_cothread_yield();
    CHECK_EQUAL(state(1), cothread_blocked_on_channel);
    spawn(mark_self);
    CHECK_EQUAL(microkit_cothread_recv_ntfn(5), co_no_err);
    CHECK_TEXT(marks(), LIMEN_CO_HAS_FAST_PATH ? "112" : "121");
}

static void several_waiting_cothreads_run_behind_those_that_are_ready(void)
{
    test_start();
    spawn(wait_on_5);
    spawn(wait_on_5);
    spawn(wait_on_6);
    microkit_cothread_yield();
    spawn(mark_self);
    CHECK_EQUAL(microkit_cothread_recv_ntfn(5), co_no_err);
    CHECK_TEXT(marks(), "12412");
    CHECK_EQUAL(state(3), cothread_blocked_on_channel);
    CHECK_EQUAL(microkit_cothread_recv_ntfn(6), co_no_err);
    CHECK_TEXT(marks(), "124123");
}

static void notifications_nobody_waits_for_are_lost_or_kept(void)
{
    test_start();
    if (LIMEN_CO_MOST_KEPT > 1) {
        return;
    }
    CHECK_EQUAL(microkit_cothread_recv_ntfn(5), LIMEN_CO_KEEPS_NOTIFICATIONS ? co_no_err : co_err_recv_ntfn_no_blocked);
    CHECK_EQUAL(microkit_cothread_recv_ntfn(5),
                LIMEN_CO_KEEPS_NOTIFICATIONS ? co_err_recv_ntfn_already_queued : co_err_recv_ntfn_no_blocked);
    spawn(wait_on_5);
    spawn(wait_on_5);
    microkit_cothread_yield();
    CHECK_TEXT(marks(), LIMEN_CO_KEEPS_NOTIFICATIONS ? "112" : "12");
    CHECK_EQUAL(microkit_cothread_recv_ntfn(5), co_no_err);
    CHECK_TEXT(marks(), LIMEN_CO_KEEPS_NOTIFICATIONS ? "1122" : "1212");
}

static void the_root_takes_what_is_kept_and_never_waits_for_a_notification(void)
{
    if (!LIMEN_CO_CHECKS) {
        return;
    }
    test_start();
    CHECK_REFUSED(microkit_cothread_wait_on_channel(5), co_err_wait_called_from_root_thread);
    (void)microkit_cothread_recv_ntfn(5);
    CHECK_EQUAL(microkit_cothread_wait_on_channel(5),
                LIMEN_CO_KEEPS_NOTIFICATIONS ? co_no_err : co_err_wait_called_from_root_thread);
    CHECK_REFUSED(microkit_cothread_wait_on_channel(5), co_err_wait_called_from_root_thread);
}

static void wait_on_5_again_and_again(void)
{
    for (;;) {
        CHECK_EQUAL(microkit_cothread_wait_on_channel(5), co_no_err);
        mark_self();
    }
}

static void as_many_notifications_are_kept_as_the_option_says(void)
{
    if (!LIMEN_CO_KEEPS_NOTIFICATIONS) {
        return;
    }
    test_start();
    for (int i = 0; i < LIMEN_CO_MOST_KEPT; i++) {
        CHECK_EQUAL(microkit_cothread_recv_ntfn(5), co_no_err);
    }
    CHECK_EQUAL(microkit_cothread_recv_ntfn(5), co_err_recv_ntfn_already_queued);
    CHECK_EQUAL(microkit_cothread_recv_ntfn(6), co_no_err);
    spawn(wait_on_5_again_and_again);
    microkit_cothread_run();
    CHECK_EQUAL(strlen(marks()), LIMEN_CO_MOST_KEPT);
    CHECK_EQUAL(microkit_cothread_recv_ntfn(5), co_no_err);
    CHECK_EQUAL(strlen(marks()), LIMEN_CO_MOST_KEPT + 1);
}

static void wait_on_wrong_channels(void)
{
    CHECK_REFUSED(microkit_cothread_wait_on_channel(62), co_err_wait_invalid_channel);
    CHECK_REFUSED(microkit_cothread_wait_on_channel(~0u), co_err_wait_invalid_channel);
    CHECK_EQUAL(microkit_cothread_recv_ntfn(5), co_err_recv_ntfn_called_from_cothread);
    mark_self();
}

static void wrong_channels_and_callers_are_refused(void)
{
    test_start();
    CHECK_REFUSED(microkit_cothread_recv_ntfn(62), co_err_recv_ntfn_invalid_channel);
    CHECK_REFUSED(microkit_cothread_recv_ntfn(~0u), co_err_recv_ntfn_invalid_channel);
    CHECK_REFUSED(microkit_cothread_wait_on_channel(62), co_err_wait_invalid_channel);
    spawn(wait_on_wrong_channels);
    microkit_cothread_yield();
    CHECK_TEXT(marks(), "1");
}

static void a_wrong_channel_leaves_those_who_wait_alone(void)
{
    test_start();
    spawn(wait_on_5);
    spawn(wait_on_5);
    microkit_cothread_yield();
    (void)microkit_cothread_recv_ntfn(6);
    CHECK_EQUAL(microkit_cothread_recv_ntfn(5), co_no_err);
    CHECK_TEXT(marks(), "1212");
}

static void wait_again_and_again(void)
{
    for (;;) {
        microkit_cothread_wait_on_channel(5);
        mark_self();
        microkit_cothread_yield();
    }
}

static void the_root_returns_to_receive_only_when_nobody_is_ready(void)
{
    test_start();
    spawn(wait_again_and_again);
    spawn(mark_and_yield);
    microkit_cothread_yield();
    spawn(mark_and_yield);
    spawn(mark_and_yield);
    (void)microkit_cothread_recv_ntfn(5);
    for (int handle = 2; handle <= 4; handle++) {
        CHECK_EQUAL(state(handle), cothread_not_active);
    }
    CHECK_EQUAL(state(1), cothread_blocked_on_channel);
}

static void a_notification_that_nobody_waits_for_lets_the_ready_run(void)
{
    test_start();
    spawn(mark_and_yield);
    spawn(mark_and_yield);
    (void)microkit_cothread_recv_ntfn(9);
    CHECK_TEXT(marks(), "1212");
}

static void the_event_loop_of_the_host_delivers_lowest_first(void)
{
    test_start();
    spawn(wait_on_6);
    spawn(wait_on_5);
    microkit_cothread_yield();
    limen_host_notify(6);
    limen_host_notify(5);
    limen_host_run();
    CHECK_TEXT(marks(), "221");
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

/* Join. */

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

/* Stacks, names, reports. */

static void use_stack(void)
{
    volatile char room[0x1800];
    for (size_t i = 0; i < sizeof(room); i++) {
        room[i] = (char)i;
    }
}

static void the_stack_that_was_used_is_told(void)
{
    size_t before = 0, after = 0;
    test_start();
    spawn(nothing);
    microkit_cothread_yield();
    CHECK_EQUAL(microkit_cothread_stack_used(1, &before), co_no_err);
    for (int i = 0; i < 4; i++) {
        spawn(use_stack);
    }
    microkit_cothread_yield();
    CHECK_EQUAL(microkit_cothread_stack_used(1, &after), co_no_err);
    CHECK(before < 0x1000);
    CHECK(after >= 0x1800 && after < STACK_BYTES);
    CHECK_REFUSED(microkit_cothread_stack_used(0, &after), co_err_generic_invalid_handle);
}

static void overflow(void)
{
    *(volatile uintptr_t *)test_stack(1) = 0x41;
    microkit_cothread_yield();
    microkit_cothread_wait_on_channel(5);
}

static void run_overflowing_cothread(void)
{
    test_start();
    spawn(nothing);
    spawn(overflow);
    microkit_cothread_set_name(2, "digger");
    microkit_cothread_run();
}

static void an_overflow_is_reported_by_name(void)
{
    if (!LIMEN_CO_CHECKS) {
        return;
    }
    CHECK_EQUAL(fault_of(run_overflowing_cothread), co_err_stack_overflow);
    CHECK_TEXT(test_console, "host|cothread 2 'digger': the cothread has overflowed its stack\n");
}

static void names_are_cut_and_forgotten(void)
{
    test_start();
    spawn(nothing);
    CHECK_EQUAL(microkit_cothread_set_name(1, "a name of more than fifteen characters"), co_no_err);
    CHECK_TEXT(microkit_cothread_name(1), "a name of more ");
    microkit_cothread_yield();
    CHECK_TEXT(microkit_cothread_name(1), "");
    CHECK_REFUSED(microkit_cothread_set_name(1, "gone"), co_err_generic_invalid_handle);
    CHECK_REFUSED(microkit_cothread_set_name(0, "root"), co_err_generic_invalid_handle);
}

static void addresses_tell_whose_stack_they_are_on(void)
{
    test_start();
    spawn(nothing);
    spawn(nothing);
    microkit_cothread_set_name(2, "second");
    CHECK_EQUAL(limen_cothread_of_address(test_controller, test_stack(1) + 0x100), 2);
    CHECK_EQUAL(limen_cothread_of_address(test_controller, test_stack(1) - 0x100), 2);
    CHECK_EQUAL(limen_cothread_of_address(test_controller, (uintptr_t)&init), 0);
    CHECK_TEXT(limen_cothread_name_at(test_controller, test_stack(1) + STACK_BYTES), "second");
    CHECK_TEXT(limen_cothread_name_at(test_controller, 1), "");
}

static void every_error_has_its_own_sentence(void)
{
    for (int i = 0; i < co_num_errors; i++) {
        const char *text = microkit_cothread_pretty_error((co_err_t)i);
        CHECK(text[0] && text[strlen(text) - 1] == '\n');
    }
    CHECK_TEXT(microkit_cothread_pretty_error(co_no_err), "no error\n");
    CHECK_TEXT(microkit_cothread_pretty_error(co_err_join_deadlock_detected),
               "the cothread waits, perhaps through others, for the caller\n");
    CHECK_TEXT(microkit_cothread_pretty_error(co_num_errors), "unknown error\n");
    CHECK_TEXT(microkit_cothread_pretty_error((co_err_t)-1), "unknown error\n");
}

static void keep_words(void)
{
    seL4_Word words[2];
    microkit_mr_set(0, 11);
    microkit_mr_set(1, 12);
    microkit_cothread_save_words(words, 2);
    microkit_cothread_yield();
    microkit_cothread_restore_words(words, 2);
    CHECK_EQUAL(microkit_mr_get(0), 11);
    CHECK_EQUAL(microkit_mr_get(1), 12);
    mark_self();
}

static void message_words_survive_where_asked(void)
{
    test_start();
    spawn(keep_words);
    spawn(keep_words);
    microkit_cothread_yield();
    microkit_mr_set(0, 1);
    microkit_cothread_run();
    CHECK_TEXT(marks(), "12");
}

static unsigned int signals[8];

static void count_signal(microkit_channel ch)
{
    signals[ch % 8]++;
}

/* Each thread sets words and defers a signal before it switches. */
static void set_words_and_yield(void)
{
    int self;
    CHECK_EQUAL(microkit_cothread_my_handle(&self), co_no_err);
    for (seL4_Word round = 0; round < 3; round++) {
        for (seL4_Uint8 i = 0; i < 3; i++) {
            microkit_mr_set(i, (seL4_Word)self * 100 + i + round);
        }
        microkit_deferred_notify((microkit_channel)self);
        CHECK_EQUAL(microkit_cothread_yield(), co_no_err);
        for (seL4_Uint8 i = 0; i < 3; i++) {
            CHECK_EQUAL(microkit_mr_get(i), (seL4_Word)self * 100 + i + round);
        }
    }
    mark_self();
}

static void each_thread_has_its_own_words_and_deferred_signal(void)
{
    if (!LIMEN_CO_OWN_WORDS) {
        return;
    }
    memset(signals, 0, sizeof(signals));
    limen_host_set_peer(count_signal);
    test_start();
    for (int i = 0; i < 4; i++) {
        spawn(set_words_and_yield);
    }
    set_words_and_yield();
    CHECK_EQUAL(microkit_cothread_run(), co_no_err);
    limen_host_run();
    CHECK_TEXT(marks(), "01234");
    for (int i = 0; i < 5; i++) {
        CHECK_EQUAL(signals[i], 3);
    }
}

int main(void)
{
    RUN(calls_before_init_say_so);
    RUN(yield_and_block_before_the_first_spawn_return);
    RUN(init_checks_what_it_is_given);
    RUN(overlaps_are_refused);
    RUN(memory_of_any_alignment_is_taken);
    RUN(init_takes_pointers_and_integers);
    RUN(a_controller_for_four_fits_one_page);
    RUN(handles_are_given_in_order_and_reused_oldest_first);
    RUN(spawn_refuses_null);
    RUN(cothreads_run_in_the_order_in_which_they_became_ready);
    RUN(run_returns_when_nobody_is_ready);
    RUN(run_is_for_the_root);
    RUN(a_cothread_that_is_not_ready_waits_for_mark_ready);
    RUN(arguments_reach_the_cothread);
    RUN(wrong_handles_are_refused_everywhere);
    RUN(results_may_not_be_null);
    RUN(one_waiting_cothread_runs_at_once);
    RUN(several_waiting_cothreads_run_behind_those_that_are_ready);
    RUN(notifications_nobody_waits_for_are_lost_or_kept);
    RUN(the_root_takes_what_is_kept_and_never_waits_for_a_notification);
    RUN(as_many_notifications_are_kept_as_the_option_says);
    RUN(wrong_channels_and_callers_are_refused);
    RUN(a_wrong_channel_leaves_those_who_wait_alone);
    RUN(the_root_returns_to_receive_only_when_nobody_is_ready);
    RUN(a_notification_that_nobody_waits_for_lets_the_ready_run);
    RUN(the_event_loop_of_the_host_delivers_lowest_first);
    RUN(a_blocked_cothread_runs_after_mark_ready);
    RUN(mark_ready_refuses_who_waits_for_something);
    RUN(a_cothread_can_wake_the_blocked_root);
    RUN(destroyed_cothreads_leave_their_queues);
    RUN(a_handle_is_released_once);
    RUN(the_root_cannot_be_destroyed);
    RUN(a_cothread_may_destroy_itself);
    RUN(respawned_handles_never_fill_the_queue);
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
    RUN(the_stack_that_was_used_is_told);
    RUN(an_overflow_is_reported_by_name);
    RUN(names_are_cut_and_forgotten);
    RUN(addresses_tell_whose_stack_they_are_on);
    RUN(every_error_has_its_own_sentence);
    RUN(message_words_survive_where_asked);
    RUN(each_thread_has_its_own_words_and_deferred_signal);
    return test_end("seed");
}
