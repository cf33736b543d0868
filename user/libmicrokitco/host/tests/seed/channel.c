/* Notifications: who gets them, in which order, and which are kept. */

#include "seed.h"

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

void channel_tests(void)
{
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
}
